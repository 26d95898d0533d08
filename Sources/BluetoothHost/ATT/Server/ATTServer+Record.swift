// Between the bearer of a client and what is remembered of it.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// What is known of the client at `place`.
  func state(at place: Int) -> ClientState {
    var state = ClientState()
    state.configurations = bearers[place].configurations
    state.features = bearers[place].clientFeatures
    state.isChangeAware = bearers[place].awareness == .aware
    return state
  }

  /// What is to be remembered of the client at `place`.
  mutating func record(at place: Int) -> ClientRecord {
    var subscriptions = ClientConfigurations()
    var count = 0
    for index in database.attributes.indices {
      guard case .clientConfiguration(let slot) = database.attributes[index].value else { continue }
      subscriptions[count] = bearers[place].configurations[slot]
      count &+= 1
    }
    return ClientRecord(
      databaseHash: database.hash, isChangeAware: bearers[place].awareness == .aware,
      features: bearers[place].clientFeatures,
      serviceChanged: database.serviceChanged.slot.map { bearers[place].configurations[$0] }
        ?? .none,
      subscriptions: subscriptions)
  }

  /// The client at `place` is the one that `record` is about: what it has said on this link stays, and the
  /// rest is as it was. With another database, or if it did not know of the last change, it is
  /// change-unaware, and gets Service Changed if it wants that.
  mutating func restore(_ record: ClientRecord, at place: Int) {
    bearers[place].clientFeatures |= record.features
    let isSame = record.databaseHash == database.hash
    if isSame {
      var count = 0
      for index in database.attributes.indices {
        guard case .clientConfiguration(let slot) = database.attributes[index].value else {
          continue
        }
        let configuration = record.subscriptions[count]
        count &+= 1
        if configuration != .none, bearers[place].configurations[slot] == .none {
          restore(configuration, of: index, slot, at: place)
        }
      }
    } else if let slot = database.serviceChanged.slot {
      bearers[place].configurations[slot] = record.serviceChanged
    }
    guard !isSame || !record.isChangeAware else { return }
    bearers[place].databaseChanged()
    bearers[place].changedServices = .all
    changedConnections.insert(place)
  }

  /// The link of the client at `place` has become weaker: it gets no value any more that its link is too
  /// weak for.
  mutating func dropUnprotected(at place: Int) {
    for index in database.attributes.indices {
      guard case .clientConfiguration(let slot) = database.attributes[index].value,
        bearers[place].configurations[slot] != .none, isProtected(index, from: place)
      else { continue }
      set(.none, of: index, slot, at: place)
    }
  }

  private mutating func restore(
    _ configuration: ClientConfiguration, of index: Int, _ slot: Int, at place: Int
  ) {
    guard !isProtected(index, from: place) else { return }
    set(configuration, of: index, slot, at: place)
  }

  /// Whether the link at `place` is too weak for the descriptor at `index`.
  private func isProtected(_ index: Int, from place: Int) -> Bool {
    database.attributes[index].protection.rawValue & bearers[place].lacking.rawValue
      & AttributeProtection.write.rawValue != 0
  }

  /// The descriptor at `index` gets this value, and the application learns of it.
  private mutating func set(
    _ configuration: ClientConfiguration, of index: Int, _ slot: Int, at place: Int
  ) {
    guard slot < ClientConfigurations.capacity, let owner = owner(of: handle(at: index)),
      configuration.isSupported(by: database.attributes[owner].properties)
    else { return }
    bearers[place].configurations[slot] = configuration
    if case .application(let attribute) = database.attributes[owner].value {
      application.configurationChanged(of: attribute, at: place, to: configuration)
    }
  }
}
