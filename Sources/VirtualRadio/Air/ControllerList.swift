/// Some of an air's controllers, in the order of their arrival.
///
/// Adding or removing one takes the logarithm of the count, and moves those that arrived later.
struct ControllerList {
  /// The controllers, the oldest first.
  private(set) var all: [VirtualController] = []

  /// Adds `controller`, unless it is in the list.
  mutating func insert(_ controller: VirtualController) {
    let index = location(of: controller.number)
    if index < all.count, all[index] === controller { return }
    all.insert(controller, at: index)
  }

  /// Removes `controller`, if it is in the list.
  mutating func remove(_ controller: VirtualController) {
    let index = location(of: controller.number)
    guard index < all.count, all[index] === controller else { return }
    all.remove(at: index)
  }

  /// The index at which the controller with `number` is, or would be.
  private func location(of number: Int) -> Int {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
