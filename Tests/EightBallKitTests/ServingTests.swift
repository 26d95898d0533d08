import CoreBluetooth
import Foundation
import LinuxTestSupport
import Testing

@testable import EightBallKit

/// The SDK's ball with apps that do not use the SDK.
@Suite("The SDK's ball", .timeLimit(.minutes(1)))
struct ServingTests {
  private let ball: BallPeripheral
  private let air = TestAir()
  private let radio: CBRadio
  private let name = "Ball \(UUID().uuidString.prefix(8))"

  init() throws {
    let radio = try CBRadio(air.radio)
    var options = BallPeripheral.Options()
    options.localName = name
    self.radio = radio
    ball = BallPeripheral(
      options: options, queue: DispatchQueue(label: "ball"), nextAnswer: { BallAnswer.all[3] },
      makeManager: { CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
  }

  private func central() async throws -> PlainCentral {
    let central = try PlainCentral(wanting: name, on: air)
    #expect(await central.next() == "ready")
    return central
  }

  @Test("answers at the subscription if the question comes first; a read returns the last answer")
  func questionFirst() async throws {
    let central = try await central()
    central.read()
    #expect(await central.next() == "value ")
    central.write(Array("Will it rain?".utf8))
    #expect(await central.next() == "wrote")
    central.subscribe(true)
    #expect(await central.next() == "notifying true")
    #expect(await central.next() == "value Yes – definitely.")
    central.subscribe(false)
    #expect(await central.next() == "notifying false")
    central.read()
    #expect(await central.next() == "value Yes – definitely.")
    // The answer is notified once: another subscription gets nothing until the next question.
    central.subscribe(true)
    #expect(await central.next() == "notifying true")
    central.write(Array("Really?".utf8))
    #expect(await central.next() == "wrote")
    #expect(await central.next() == "value Yes – definitely.")
  }

  @Test("answers if the subscription comes first, also a question without response")
  func subscriptionFirst() async throws {
    let central = try await central()
    central.subscribe(true)
    #expect(await central.next() == "notifying true")
    central.write(Array("Will it rain?".utf8))
    #expect(await central.next() == "wrote")
    #expect(await central.next() == "value Yes – definitely.")
    central.write(Array("And tomorrow?".utf8), .withoutResponse)
    #expect(await central.next() == "value Yes – definitely.")
  }

  @Test("refuses statements and text that is not UTF-8, without an answer")
  func refusals() async throws {
    let central = try await central()
    central.subscribe(true)
    #expect(await central.next() == "notifying true")
    for (bytes, code) in [
      (Array("It will rain.".utf8), "0xe"), ([], "0xe"), (Array("Rain? ".utf8), "0xe"),
      ([0xFF, 0x3F], "0x80"), ([0xC3, 0x3F], "0x80"), ([0xED, 0xA0, 0x80, 0x3F], "0x80"),
    ] {
      central.write(bytes)
      #expect(await central.next() == "wrote: \(code)")
    }
    central.read()
    #expect(await central.next() == "value ")
    #expect(ball.askers.allSatisfy { $0.question == nil })
  }

  @Test("serves several centrals at once, each with a separate question and answer")
  func several() async throws {
    let (first, second) = (try await central(), try await central())
    first.write(Array("First?".utf8))
    #expect(await first.next() == "wrote")
    second.read()
    #expect(await second.next() == "value ")
    second.subscribe(true)
    #expect(await second.next() == "notifying true")
    second.write(Array("Second?".utf8))
    #expect(await second.next() == "wrote")
    #expect(await second.next() == "value Yes – definitely.")
    // The first has not subscribed, so its answer waits.
    first.subscribe(true)
    #expect(await first.next() == "notifying true")
    #expect(await first.next() == "value Yes – definitely.")
    #expect(Set(ball.askers.compactMap(\.question)) == ["First?", "Second?"])
  }

  @Test("a shake sends another answer only to subscribed centrals that have asked")
  func shake() async throws {
    let (first, second) = (try await central(), try await central())
    for central in [first, second] {
      central.subscribe(true)
      #expect(await central.next() == "notifying true")
    }
    first.write(Array("First?".utf8))
    #expect(await first.next() == "wrote")
    #expect(await first.next() == "value Yes – definitely.")
    ball.shake()
    #expect(await first.next() == "value Yes – definitely.")
    // Its next value is the answer to its question.
    second.write(Array("Second?".utf8))
    #expect(await second.next() == "wrote")
    #expect(await second.next() == "value Yes – definitely.")
    second.read()
    #expect(await second.next() == "value Yes – definitely.")
    first.subscribe(false)
    #expect(await first.next() == "notifying false")
    ball.shake()
    #expect(await second.next() == "value Yes – definitely.")
    first.write(Array("It will rain.".utf8))
    #expect(await first.next() == "wrote: 0xe")
  }
}
