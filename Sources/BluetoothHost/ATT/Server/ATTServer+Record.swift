// The records of bonded clients.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// The state of the client at `connectionIndex` that a bond stores.
  func state(at connectionIndex: Int) -> ClientState {
    var state = ClientState()
    state.configurations = bearers[connectionIndex].configurations
    state.features = bearers[connectionIndex].clientFeatures
    state.isChangeAware = bearers[connectionIndex].awareness == .aware
    return state
  }

  /// The record of the client at `connectionIndex` for its bond.
  mutating func record(at connectionIndex: Int) -> ClientRecord {
    var subscriptions = ClientConfigurations()
    var count = 0
    for index in database.attributes.indices {
      guard case .clientConfiguration(let slot) = database.attributes[index].value else { continue }
      subscriptions[count] = bearers[connectionIndex].configurations[slot]
      count &+= 1
    }
    return ClientRecord(
      databaseHash: database.hash, isChangeAware: bearers[connectionIndex].awareness == .aware,
      features: bearers[connectionIndex].clientFeatures,
      serviceChanged: database.serviceChanged.slot.map {
        bearers[connectionIndex].configurations[$0]
      } ?? .none, subscriptions: subscriptions)
  }

  /// Restores the client from `record`, except what it has set on this link. For another database
  /// only convertible subscriptions are restored. A client that missed a change gets Service
  /// Changed.
  mutating func restore(_ record: ClientRecord, at connectionIndex: Int) {
    bearers[connectionIndex].clientFeatures |= record.features
    let isSame = record.databaseHash == database.hash
    var subscriptions = record.subscriptions
    if isSame || database.convert(&subscriptions, from: record.databaseHash) {
      var count = 0
      for index in database.attributes.indices {
        guard case .clientConfiguration(let slot) = database.attributes[index].value else {
          continue
        }
        let configuration = subscriptions[count]
        count &+= 1
        if configuration != .none, bearers[connectionIndex].configurations[slot] == .none {
          restore(configuration, of: index, slot, at: connectionIndex)
        }
      }
    } else if let slot = database.serviceChanged.slot,
      bearers[connectionIndex].configurations[slot] == .none
    {
      bearers[connectionIndex].configurations[slot] = record.serviceChanged
    }
    guard !isSame || !record.isChangeAware else { return }
    bearers[connectionIndex].databaseChanged()
    bearers[connectionIndex].changedServices = .all
    changedConnections.insert(connectionIndex)
  }

  /// Ends the subscriptions that require more security than the link still has.
  mutating func dropUnprotected(at connectionIndex: Int) {
    for index in database.attributes.indices {
      guard case .clientConfiguration(let slot) = database.attributes[index].value,
        bearers[connectionIndex].configurations[slot] != .none,
        isProtected(index, from: connectionIndex)
      else { continue }
      set(.none, of: index, slot, at: connectionIndex)
    }
  }

  private mutating func restore(
    _ configuration: ClientConfiguration, of index: Int, _ slot: Int, at connectionIndex: Int
  ) {
    guard !isProtected(index, from: connectionIndex) else { return }
    set(configuration, of: index, slot, at: connectionIndex)
  }

  /// Whether the link at `connectionIndex` lacks the security to write the descriptor at `index`.
  private func isProtected(_ index: Int, from connectionIndex: Int) -> Bool {
    database.attributes[index].protection.rawValue & bearers[connectionIndex].lacking.rawValue
      & AttributeProtection.write.rawValue != 0
  }

  /// Sets the descriptor at `index`, and calls the application.
  private mutating func set(
    _ configuration: ClientConfiguration, of index: Int, _ slot: Int, at connectionIndex: Int
  ) {
    guard slot < ClientConfigurations.capacity, let owner = owner(of: handle(at: index)),
      configuration.isSupported(by: database.attributes[owner].properties)
    else { return }
    bearers[connectionIndex].configurations[slot] = configuration
    if case .application(let attribute) = database.attributes[owner].value {
      application.configurationChanged(of: attribute, at: connectionIndex, to: configuration)
    }
  }
}
