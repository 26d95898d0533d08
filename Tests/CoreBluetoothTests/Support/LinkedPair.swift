import Foundation

@testable import CoreBluetooth

/// A central manager with a link to another device, and that device's peripheral manager.
class LinkedPair {
  let scene = Scene()
  /// The peripheral's device, `F0:00:00:00:00:BE`.
  let peer: Seat
  let log = Log()
  let recorder = Log()
  let manager: CBCentralManager
  let peripheral: CBPeripheral
  let peripheralManager: CBPeripheralManager
  /// The calls of the peripheral's delegate before the link.
  let published: [String]
  private let peripheralQueue: DispatchQueue

  /// - Parameters:
  ///   - isSeparate: Whether the delegate of the peripheral has a queue of its own.
  ///   - publish: What the peripheral manager does before it advertises.
  init(isSeparate: Bool = false, publish: (CBPeripheralManager) -> Void) throws {
    peripheralQueue = isSeparate ? DispatchQueue(label: "peripheral") : scene.queue
    if isSeparate { scene.queues.append(peripheralQueue) }
    peer = scene.add(Seat(state: .poweredOn), number: 0xBE)
    peripheralManager = CBPeripheralManager(
      delegate: recorder, queue: peripheralQueue, radio: peer.radio)
    scene.settle()
    publish(peripheralManager)
    peripheralManager.startAdvertising([:])
    published = scene.take(recorder)
    (manager, peripheral) = scene.manager(log, connectedTo: 0xBE)
  }

  /// The program's thread lags: the delegate of the peripheral is not called until `resume`.
  func suspend() {
    scene.queues = [scene.queue]
    peripheralQueue.suspend()
  }

  func resume() {
    peripheralQueue.resume()
    scene.queues = [scene.queue, peripheralQueue]
    scene.settle()
  }
}
