import CoreBluetooth
import Foundation
import Testing

@testable import EightBallKit

/// What becomes of a ball whose link, or whose services, change while it is in use.
@Suite("A ball's link by the SDK", .timeLimit(.minutes(1)))
struct LinkTests {
  @Test("a ball that was rejected is not connected again until the central restarts")
  func rejected() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    found.reject(because: .deviceBusy)
    let told = await client.told(until: \.isLoss)
    #expect(told.suffix(2) == ["failed coreBluetooth(.deviceBusy)", "lost"])
    // By the time of another's answer, the ball has been heard, and the link's end told.
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

  @Test("the end of a link that is ended is heard of, also if nobody holds on to the ball")
  func placeAgain() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    _ = await client.told { if case .discovered = $0 { true } else { false } }
    let central = client.central
    central.queue.sync { central.hasPlace = false }
    central.balls.first?.reject(because: .deviceBusy)
    _ = await client.told(until: \.isLoss)
    // By the time of another's answer, the link's end has been told.
    let other = try Client(of: ball)
    _ = try await #require(await other.discovered()).ask("Is there a place?")
    central.queue.sync {
      #expect(central.hasPlace)
      #expect(central.leaving.isEmpty)
    }
  }

  @Test("the end of a link that was made anew meanwhile is not the end of the ball")
  func staleEnd() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let manager = try #require(client.central.cbManager)
    client.central.queue.sync {
      manager.cancelPeripheralConnection(found.peripheral)
      manager.connect(found.peripheral)
      client.central.centralManager(
        manager, didDisconnectPeripheral: found.peripheral, error: nil)
      #expect(client.central.known[found.id] === found)
    }
  }

  @Test("a ball whose services change is subscribed to anew, and still answers")
  func modified() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task { try await found.ask("Still there?") }
    _ = await client.told { if case .asked = $0 { true } else { false } }
    ball.renew(answering: "Signs point to yes.")
    #expect(try await asking.value == "Signs point to yes.")
  }

  @Test("a ball that takes its service away, and has it again, is subscribed to and answers")
  func withdrawn() async throws {
    let ball = try ScriptedBall(.silent)
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let asking = Task { try await found.ask("Still there?") }
    // By the time that the ball has taken a question, the link is watched for changes.
    _ = await client.told { if case .asked = $0 { true } else { false } }
    ball.withdraw()
    let told = await client.told(until: \.isFailure)
    #expect(told == ["failed coreBluetooth(.deviceOffline)"])
    #expect(found.isConnected)
    ball.publish()
    var subscriptions = 0
    for await line in ball.news where line == "subscribed" {
      subscriptions += 1
      if subscriptions == 2 { break }
    }
    ball.answer("Yes.")
    #expect(try await asking.value == "Yes.")
    #expect(client.central.balls.count == 1)
  }

  @Test("a service that had gone before its characteristics came says nothing of the ball")
  func overtaken() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
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

  @Test("a ball that has no service is offline, and is discovered when it has")
  func withoutService() async throws {
    let ball = try ScriptedBall(.answering("Yes."), hasService: false)
    let client = try Client(of: ball)
    let told = await client.told(until: \.isFailure)
    #expect(
      told == ["powered on", "found", "connected", "failed coreBluetooth(.deviceOffline)"])
    // By the time of another failure, the link is watched for changes.
    let central = client.central
    central.queue.sync {
      for ball in central.known.values {
        central.peripheral(ball.peripheral, didModifyServices: [])
      }
    }
    _ = await client.told(until: \.isFailure)
    ball.publish()
    let found = try #require(await client.discovered())
    #expect(try await found.ask("At last?") == "Yes.")
  }

  @Test("a question that is given up before it was written is never written")
  func givenUp() async throws {
    let ball = try ScriptedBall(.answering("Yes."))
    let client = try Client(of: ball)
    let found = try #require(await client.discovered())
    let inquiry = Inquiry()
    client.central.queue.sync {
      client.central.send("Never mind?", to: found, answerer: inquiry)
      client.central.giveUp(inquiry, of: found)
    }
    var news: [String] = []
    for await line in ball.news {
      news.append(line)
      if news.count == 2 { break }
    }
    #expect(news == ["subscribed", "unsubscribed"])
    #expect(try await found.ask("Really?") == "Yes.")
  }
}
