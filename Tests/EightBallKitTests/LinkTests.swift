import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// A ball whose link or services change while it is in use.
@Suite("A ball's link with the SDK", .timeLimit(.minutes(1)))
struct LinkTests {
  @Test("a rejected ball is not connected again until the central restarts")
  func rejected() async throws {
    let (ball, client, found) = try await Client.discovering(.answering("Yes."))
    found.reject(because: .deviceBusy)
    let reported = await client.reported(until: \.isLoss)
    #expect(reported.suffix(2) == ["failed coreBluetooth(.deviceBusy)", "lost"])
    // By the time of another's answer, the ball has been found, and the link's end reported.
    let other = try Client(of: ball)
    _ = try await #require(await other.discovered()).ask("Am I welcome?")
    client.central.queue.sync {
      #expect(client.central.known.isEmpty)
    }
    #expect(found.error == .coreBluetooth(RejectionReason.deviceBusy))
    client.central.restart()
    let again = try #require(await client.discovered())
    #expect(try await again.ask("And now?") == "Yes.")
  }

  @Test("the end of a link is reported even after the release of the ball")
  func roomAgain() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    _ = await client.reported { if case .discovered = $0 { true } else { false } }
    let central = client.central
    central.queue.sync { central.hasRoom = false }
    central.balls.first?.reject(because: .deviceBusy)
    _ = await client.reported(until: \.isLoss)
    // By the time of another's answer, the link's end has been reported.
    let other = try Client(of: ball)
    _ = try await #require(await other.discovered()).ask("Is there room?")
    central.queue.sync {
      #expect(central.hasRoom)
      #expect(central.leaving.isEmpty)
    }
  }

  @Test("the end of an earlier link is not the end of a reconnected ball")
  func staleEnd() async throws {
    let (_, client, found) = try await Client.discovering(.silent)
    let manager = try #require(client.central.cbManager)
    client.central.queue.sync {
      manager.cancelPeripheralConnection(found.peripheral)
      manager.connect(found.peripheral)
      client.central.centralManager(
        manager, didDisconnectPeripheral: found.peripheral, error: nil)
      #expect(client.central.known[found.id] === found)
    }
  }

  @Test("a ball whose services change is subscribed to again, and still answers")
  func modified() async throws {
    let (ball, client, found) = try await Client.discovering(.silent)
    let asking = Task { try await found.ask("Still there?") }
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    ball.renew(answering: "Signs point to yes.")
    #expect(try await asking.value == "Signs point to yes.")
  }

  @Test("a ball that removes its service and adds it again is subscribed to and answers")
  func withdrawn() async throws {
    let (ball, client, found) = try await Client.discovering(.silent)
    let asking = Task { try await found.ask("Still there?") }
    // By the time that the ball has accepted a question, the link is watched for changes.
    _ = await client.reported { if case .asked = $0 { true } else { false } }
    ball.withdraw()
    let reported = await client.reported(until: \.isFailure)
    #expect(reported == ["failed coreBluetooth(.deviceOffline)"])
    #expect(found.isConnected)
    ball.publish()
    var subscriptions = 0
    for await line in ball.lines where line == "subscribed" {
      subscriptions += 1
      if subscriptions == 2 { break }
    }
    ball.answer("Yes.")
    #expect(try await asking.value == "Yes.")
    #expect(client.central.balls.count == 1)
  }

  @Test("the discovery in a removed service does not affect the ball")
  func overtaken() async throws {
    let (_, client, found) = try await Client.discovering(.answering("Yes."))
    let gone = CBMutableService(type: BallProfile.service, primary: true)
    client.central.queue.sync {
      for error in [CBATTError(.invalidHandle), nil] {
        client.central.peripheral(
          found.peripheral, didDiscoverCharacteristicsFor: gone, error: error)
      }
    }
    #expect(found.error == nil)
    #expect(try await found.ask("Still there?") == "Yes.")
  }

  @Test("a ball without its service is offline, and is discovered once it has it")
  func withoutService() async throws {
    let ball = try ScriptedBall(.answering("Yes."), hasService: false)
    let client = try Client(of: ball)
    let reported = await client.reported(until: \.isFailure)
    #expect(
      reported == ["powered on", "found", "connected", "failed coreBluetooth(.deviceOffline)"])
    // By the time of another failure, the link is watched for changes.
    let central = client.central
    central.queue.sync {
      for ball in central.known.values {
        central.peripheral(ball.peripheral, didModifyServices: [])
      }
    }
    _ = await client.reported(until: \.isFailure)
    ball.publish()
    let found = try #require(await client.discovered())
    #expect(try await found.ask("At last?") == "Yes.")
  }

  @Test("a question cancelled before it was written is never written")
  func givenUp() async throws {
    let (ball, client, found) = try await Client.discovering(.answering("Yes."))
    let inquiry = Inquiry()
    client.central.queue.sync {
      client.central.send("Never mind?", to: found, answerer: inquiry)
      client.central.giveUp(inquiry, of: found)
    }
    var lines: [String] = []
    for await line in ball.lines {
      lines.append(line)
      if lines.count == 2 { break }
    }
    #expect(lines == ["subscribed", "unsubscribed"])
    #expect(try await found.ask("Really?") == "Yes.")
  }
}
