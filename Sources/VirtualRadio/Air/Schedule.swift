import BluetoothHost

/// The controllers at which something will happen by itself, the next one first: a binary heap.
///
/// Of two that are due at the same time, the one that came first to the air is the first. Each
/// controller is in one schedule at most, and knows its place there.
struct Schedule {
  private struct Entry {
    var instant: Instant
    var controller: VirtualController

    static func < (left: Entry, right: Entry) -> Bool {
      left.instant == right.instant
        ? left.controller.number < right.controller.number : left.instant < right.instant
    }
  }

  private var heap: [Entry] = []

  /// The controller that is due next, and when; `nil` if there is none.
  var first: (controller: VirtualController, instant: Instant)? {
    heap.first.map { ($0.controller, $0.instant) }
  }

  /// Sets when `controller` is due; `nil` takes it out. Takes the logarithm of the count.
  mutating func set(_ controller: VirtualController, _ instant: Instant?) {
    guard let instant else { return remove(controller) }
    let entry = Entry(instant: instant, controller: controller)
    guard let index = controller.scheduleIndex else {
      heap.append(entry)
      controller.scheduleIndex = heap.count - 1
      return rise(from: heap.count - 1)
    }
    guard heap[index].instant != instant else { return }
    heap[index] = entry
    restore(at: index)
  }

  private mutating func remove(_ controller: VirtualController) {
    guard let index = controller.scheduleIndex else { return }
    controller.scheduleIndex = nil
    let last = heap.removeLast()
    guard index < heap.count else { return }
    place(last, at: index)
    restore(at: index)
  }

  /// Moves the entry at `index` to where it belongs.
  private mutating func restore(at index: Int) {
    rise(from: index)
    sink(from: index)
  }

  private mutating func rise(from start: Int) {
    var index = start
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      swap(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(from start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
        if heap[child] < heap[least] { least = child }
      }
      guard least != index else { return }
      swap(index, least)
      index = least
    }
  }

  private mutating func swap(_ first: Int, _ second: Int) {
    let entry = heap[first]
    place(heap[second], at: first)
    place(entry, at: second)
  }

  private mutating func place(_ entry: Entry, at index: Int) {
    heap[index] = entry
    entry.controller.scheduleIndex = index
  }
}
