/// The channels that peers have opened and delegates have not received. A thread of the program that
/// lags must not make them pile up.
final class ChannelBacklog: Sendable {
  private struct Contents {
    var last = 0
    /// The index of each channel's link, by the number of its delivery. It outlives the link: a peer
    /// that connects again gets no more room by that.
    var links: [Int: Int] = [:]
  }

  private let contents = Locked(Contents())

  /// The indexes of the links of all deliveries with other numbers than these, each as often as it
  /// has deliveries.
  func links(except numbers: [Int]) -> [Int] {
    contents.withLock { contents in
      contents.links.filter { !numbers.contains($0.key) }.map(\.value)
    }
  }

  fileprivate func add(_ link: Int) -> Int {
    contents.withLock { contents in
      contents.last += 1
      contents.links[contents.last] = link
      return contents.last
    }
  }

  fileprivate func remove(_ number: Int) { contents.withLock { $0.links[number] = nil } }
}

/// The way of one channel to its delegate. It ends with the release of this object, on any thread.
final class ChannelDelivery: Sendable {
  let number: Int
  private let backlog: ChannelBacklog

  init(_ backlog: ChannelBacklog, at link: Int) {
    self.backlog = backlog
    number = backlog.add(link)
  }

  deinit { backlog.remove(number) }
}
