// What follows from the lines together.
extension PeripheralFile {
  /// Checks what concerns several lines, and gives each attribute its handle.
  func finish() {
    guard !names.isEmpty || !errors.isEmpty else {
      return errors.append(
        PeripheralFileError(
          line: 0, text: "the file has no fields: expected fields such as name = Heart Rate"))
    }
    for service in peripheral.services.indices {
      for index in peripheral.services[service].characteristics.indices {
        addConfiguration(service, index)
        checkLabels(service, index)
      }
      for include in peripheral.services[service].includes {
        guard case .service = place(of: include.label) else {
          report(
            peripheral.services[service].label + ".includes",
            "expected the label of a service, not \"\(include.label)\"")
          continue
        }
      }
    }
    checkTrain()
    if impliesServices {
      let implied = PeripheralDescription.implied(beside: peripheral.services)
      for service in implied where place(of: service.label) != nil {
        report(service.label, "expected another label: the implied service has this one")
      }
      peripheral.services.insert(contentsOf: implied, at: 0)
    }
    var wrong: [(label: String, lowest: UInt16?)] = []
    peripheral.assignHandles { label in
      handles.first { $0.label == label }?.handle
    } report: { label, lowest in
      wrong.append((label, lowest))
    }
    for (label, lowest) in wrong {
      // An implied descriptor has no line of its own.
      let declared = line(of: label) > 0 ? label : parent(of: label)
      let hasHandle = handles.contains { $0.label == declared }
      let end = "the handles end at 0xFFFF"
      report(
        hasHandle ? declared + ".handle" : declared,
        lowest.map {
          "expected a handle from \(handleText($0)) on: those before it are in use"
        } ?? (hasHandle ? "expected a lower handle: \(end)" : "expected fewer attributes: \(end)"))
    }
    let room = "the advertisement has no room for them"
    if let advertising = peripheral.advertising {
      if peripheral.advertisement == nil,
        advertising.serviceCount < peripheral.advertised.count
      {
        report("advertise", "expected fewer services: \(room)")
      }
    } else {
      report("manufacturer", "expected fewer bytes: \(room)")
    }
  }

  /// The label of the attribute that the one with this label belongs to.
  private func parent(of label: String) -> String {
    list(label[...], separator: UInt8(ascii: ".")).dropLast().joined(separator: ".")
  }

  /// Adds the Client Characteristic Configuration that a line does not have to declare.
  private func addConfiguration(_ service: Int, _ index: Int) {
    let characteristic = peripheral.services[service].characteristics[index]
    let label = peripheral.services[service].label + "." + characteristic.label
    guard characteristic.isSubscribable, !unsubscribable.contains(label),
      !characteristic.descriptors.contains(where: \.isConfiguration)
    else { return }
    if characteristic.descriptors.contains(where: { $0.label == "configuration" }) {
      report(
        label + ".configuration", "expected another label: the implied descriptor has this one")
    }
    peripheral.services[service].characteristics[index].descriptors.insert(
      .configuration(at: 0), at: 0)
  }

  /// Checks the labels of the train, and that the values at the start fit it.
  private func checkTrain() {
    guard let train = peripheral.train else { return }
    var length = 0
    for label in train.labels {
      guard case .characteristic(let service, let index) = place(of: label) else {
        return report(
          "periodic", "expected the label of a characteristic, not \"\(label)\"")
      }
      length +=
        ValueField.bytes(
          of: peripheral.services[service].characteristics[index].value
        ).count
    }
    guard Set(train.labels).count == train.labels.count else {
      return report("periodic", "expected each label once")
    }
    // 2 (length and type), and the UUID of each service.
    let used = peripheral.services.filter { service in
      train.labels.contains { $0.hasPrefix(service.label + ".") }
    }
    length += used.reduce(0) { $0 + ($1.uuid.text.utf8.count == 4 ? 4 : 18) }
    if length > PeripheralTrain.capacity {
      report(
        "periodic",
        "expected values that take at most \(PeripheralTrain.capacity) bytes together, not \(length)"
      )
    }
  }

  /// Checks the labels in the answer to a write.
  private func checkLabels(_ service: Int, _ index: Int) {
    let characteristic = peripheral.services[service].characteristics[index]
    guard let answer = characteristic.answer else { return }
    let label = peripheral.services[service].label + "." + characteristic.label
    for other in answer.echoes + answer.notifies {
      guard case .characteristic = place(of: other) else {
        report(
          label + ".answer", "expected the label of a characteristic, not \"\(other)\"")
        continue
      }
    }
  }

  /// Notes an error in the line of `name`.
  @inline(never)
  private func report(_ name: String, _ text: String) {
    let line = line(of: name)
    let index = errors.firstIndex { $0.line > line } ?? errors.count
    errors.insert(PeripheralFileError(line: line, text: "\(name): \(text)"), at: index)
  }
}
