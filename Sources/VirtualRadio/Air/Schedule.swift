import BluetoothHost

/// What can be in a schedule.
package protocol Scheduled: AnyObject {
  /// Of two that are due at the same time, the one with the smaller number is first.
  var number: Int { get }
  /// Its index in the schedule, if it is there.
  var scheduleIndex: Int? { get set }
}

/// Members that are due at some time, ordered by time: a binary heap.
///
/// Each member is in at most one schedule, and has its index there.
package struct Schedule<Member: Scheduled> {
  private struct Entry {
    var instant: Instant
    var member: Member

    static func < (left: Entry, right: Entry) -> Bool {
      left.instant == right.instant
        ? left.member.number < right.member.number : left.instant < right.instant
    }
  }

  private var heap: [Entry] = []

  /// An empty schedule.
  package init() {}

  /// The member that is due next, and when; `nil` if the schedule is empty.
  package var first: (member: Member, instant: Instant)? {
    heap.first.map { ($0.member, $0.instant) }
  }

  /// Sets when `member` is due; `nil` removes it. Takes the logarithm of the count.
  package mutating func set(_ member: Member, _ instant: Instant?) {
    guard let instant else { return remove(member) }
    let entry = Entry(instant: instant, member: member)
    guard let index = member.scheduleIndex else {
      heap.append(entry)
      member.scheduleIndex = heap.count - 1
      return rise(from: heap.count - 1)
    }
    guard heap[index].instant != instant else { return }
    heap[index] = entry
    restore(at: index)
  }

  private mutating func remove(_ member: Member) {
    guard let index = member.scheduleIndex else { return }
    member.scheduleIndex = nil
    let last = heap.removeLast()
    guard index < heap.count else { return }
    put(last, at: index)
    restore(at: index)
  }

  /// Moves the entry at `index` to its position in the heap.
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
    while 2 * index + 1 < heap.count {
      var child = 2 * index + 1
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < heap[index] else { return }
      swap(index, child)
      index = child
    }
  }

  private mutating func swap(_ first: Int, _ second: Int) {
    let entry = heap[first]
    put(heap[second], at: first)
    put(entry, at: second)
  }

  private mutating func put(_ entry: Entry, at index: Int) {
    heap[index] = entry
    entry.member.scheduleIndex = index
  }
}
