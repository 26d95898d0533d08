import BluetoothHost
import Foundation

extension CBPeripheral {
  func findServices(_ uuids: [BluetoothUUID]?) {
    let operations: [CentralOperation] =
      uuids?.map { .discoverServices($0) } ?? [.discoverServices(nil)]
    ask { peripheral, outcome in
      if case .success(let outputs) = outcome {
        let found = outputs.flatMap(\.services).filter { $0.isWanted(among: uuids) }
        peripheral.change {
          $0.tree.merge(services: found, of: uuids, on: peripheral)
        }
      }
      peripheral.delegate?.peripheral(peripheral, didDiscoverServices: outcome.error)
    } _: { engine, client, address, completion in
      engine.perform(operations, client, address) { outcome in
        if case .success(let outputs) = outcome {
          engine.discovered(outputs.flatMap(\.services).map(\.uuid), on: address)
        }
        completion(outcome)
      }
    }
  }

  func findIncludedServices(
    _ uuids: [BluetoothUUID]?, _ service: CBService, _ remote: FoundService
  ) {
    perform([.discoverIncludedServices(remote.range)]) { peripheral, outcome in
      let error = peripheral.merge(outcome) { tree, outputs in
        let found = outputs.flatMap(\.services).filter { $0.isWanted(among: uuids) }
        return tree.merge(included: found, of: uuids, in: service, on: peripheral)
      }
      peripheral.delegate?.peripheral(
        peripheral, didDiscoverIncludedServicesFor: service, error: error)
    }
  }

  func findCharacteristics(
    _ uuids: [BluetoothUUID]?, _ service: CBService, _ remote: FoundService
  ) {
    perform([.discoverCharacteristics(remote.range)]) { peripheral, outcome in
      let error = peripheral.merge(outcome) { tree, outputs in
        guard case .characteristics(let all)? = outputs.first else { return true }
        let found = all.filter { uuids?.contains($0.uuid) ?? true }
        return tree.merge(characteristics: found, of: uuids, in: service)
      }
      peripheral.delegate?.peripheral(
        peripheral, didDiscoverCharacteristicsFor: service, error: error)
    }
  }

  func findDescriptors(_ characteristic: CBCharacteristic, _ remote: FoundCharacteristic) {
    perform([.discoverDescriptors(remote.descriptorRange ?? .nowhere)]) { peripheral, outcome in
      let error = peripheral.merge(outcome) { tree, outputs in
        var found: [RemoteDescriptor] = []
        if case .descriptors(let descriptors)? = outputs.first { found = descriptors }
        return tree.merge(descriptors: found, in: characteristic)
      }
      peripheral.delegate?.peripheral(
        peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
    }
  }

  /// Calls `body` to put discovery results into the tree, and returns the error for the delegate.
  /// `body` returns `false` if the service or characteristic has been removed meanwhile.
  private func merge(
    _ outcome: Outcome, _ body: (inout AttributeTree, [OperationOutput]) -> Bool
  ) -> (any Error)? {
    switch outcome {
    case .success(let outputs):
      contents.withLock { body(&$0.tree, outputs) } ? nil : CBATTError(.invalidHandle)
    case .failure(let error):
      error
    }
  }

  /// The attributes in this range have changed.
  func servicesChanged(in range: AttributeHandleRange) {
    let invalidated = change { $0.tree.invalidate(range) }
    delegate?.peripheral(self, didModifyServices: invalidated)
  }
}

extension FoundService {
  /// Whether a discovery of these services, or of all, concerns this one. Without a list it does not
  /// concern those that a system uses itself, as on Apple's systems: GAP, GATT, HID and ANCS.
  ///
  /// Apple, Accessory Design Guidelines, 40.12.
  func isWanted(among uuids: [BluetoothUUID]?) -> Bool {
    uuids?.contains(uuid) ?? !Self.ofSystems.contains(uuid)
  }

  private static let ofSystems: Set<BluetoothUUID> = [
    .genericAccessService, .genericAttributeService, BluetoothUUID(0x1812),
    BluetoothUUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0),
  ]
}

extension OperationOutput {
  fileprivate var services: [FoundService] {
    switch self {
    case .services(let services), .includedServices(let services): services
    default: []
    }
  }
}
