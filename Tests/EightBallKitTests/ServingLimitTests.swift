import BluetoothHost
import Foundation
import LinuxTestSupport
import Testing

@testable import CoreBluetooth
@testable import EightBallKit

@Suite("The SDK's ball and the centrals that it remembers", .timeLimit(.minutes(1)))
struct ServingLimitTests {
  private let ball: BallPeripheral
  private let air = TestAir()
  private let radio: CBRadio

  init() throws {
    let radio = try CBRadio(air.radio)
    self.radio = radio
    ball = BallPeripheral(
      options: BallPeripheral.Options(), queue: DispatchQueue(label: "ball"),
      nextAnswer: { BallAnswer.all[3] },
      makeManager: { CBPeripheralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
  }

  private func central(_ number: UInt8) -> CBCentral {
    CBCentral(address: DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0]))
  }

  @Test("are 64, and a new one replaces the oldest that is not subscribed")
  func memory() {
    ball.queue.sync {
      let askers = (0..<64).map { ball.asker(central($0)) }
      askers[0].isSubscribed = true
      #expect(ball.askers.count == 64)
      #expect(ball.asker(central(1)) === askers[1], "one that is known has its place")
      let new = ball.asker(central(64))
      #expect(ball.askers.count == 64 && ball.askers.last === new)
      #expect(ball.askers.first === askers[0])
      #expect(!ball.askers.contains { $0 === askers[1] })
    }
  }

  /// Symptom: an answer for which there was no room was notified over the next link.
  @Test("get no answer of an earlier subscription")
  func lateAnswer() throws {
    try ball.queue.sync {
      let manager = try #require(ball.cbManager)
      let central = central(7)
      let asker = ball.asker(central)
      asker.isSubscribed = true
      asker.pending = ("Yes.", "Is there room?")
      let answer = CBMutableCharacteristic(
        type: BallProfile.answer, properties: .notify, value: nil, permissions: .readable)
      ball.peripheralManager(manager, central: central, didUnsubscribeFrom: answer)
      #expect(asker.pending == nil && !asker.isSubscribed)
    }
  }

  @Test("are forgotten with the radio")
  func radioLost() throws {
    try ball.queue.sync {
      let manager = try #require(ball.cbManager)
      let asker = ball.asker(central(7))
      asker.isSubscribed = true
      manager.state = .resetting
      ball.peripheralManagerDidUpdateState(manager)
      #expect(ball.askers.isEmpty)
      // The report of its end comes later, and does not add it again.
      let answer = CBMutableCharacteristic(
        type: BallProfile.answer, properties: .notify, value: nil, permissions: .readable)
      ball.peripheralManager(manager, central: asker.central, didUnsubscribeFrom: answer)
      #expect(ball.askers.isEmpty)
    }
  }
}
