/// The deadlines of one event loop's connections, in a hashed wheel over a slab.
///
/// A connection has a place in the slab for life and at most one deadline. Setting, moving and clearing it are O(1);
/// `advance` looks only at the slots that have come due. Time is a number of ticks that the owner counts, so that tests
/// turn the wheel by hand. NIO's own timers would cancel in O(n), and one `Task` for each would cost 2 KB.
package struct DeadlineWheel<Resident> {
  /// Names a place in the slab.
  package struct Place: Equatable {
    fileprivate let index: Int32
  }

  private struct Node {
    var resident: Resident?
    /// The tick at which the deadline has passed; nil without one.
    var deadline: Int64?
    /// Neighbours in the slot's ring; `next` also chains the free places. -1 ends a chain.
    var next: Int32 = -1
    var previous: Int32 = -1
  }

  private var nodes: [Node] = []
  private var free: Int32 = -1
  /// Heads of the slots' lists. Deadlines further away than one turn stay in their slot and are passed over.
  private var slots: [Int32]
  package private(set) var now: Int64 = 0
  package private(set) var count = 0

  /// - Parameter slotCount: a power of two; one turn should be about as long as the usual deadline.
  package init(slotCount: Int = 512) {
    precondition(slotCount > 0 && slotCount & (slotCount - 1) == 0, "the number of slots is a power of two")
    slots = Array(repeating: -1, count: slotCount)
  }

  package mutating func insert(_ resident: Resident) -> Place {
    count += 1
    if free >= 0 {
      let index = free
      free = nodes[Int(index)].next
      nodes[Int(index)] = Node(resident: resident)
      return Place(index: index)
    }
    nodes.append(Node(resident: resident))
    return Place(index: Int32(nodes.count - 1))
  }

  package mutating func remove(_ place: Place) {
    clearDeadline(of: place)
    nodes[Int(place.index)] = Node(resident: nil, next: free)
    free = place.index
    count -= 1
  }

  /// Replaces the deadline by one `ticks` from now, at least one.
  package mutating func setDeadline(of place: Place, after ticks: Int64) {
    clearDeadline(of: place)
    let deadline = now + max(1, ticks)
    let slot = slotIndex(deadline)
    let first = slots[slot]
    nodes[Int(place.index)].deadline = deadline
    nodes[Int(place.index)].next = first
    if first >= 0 { nodes[Int(first)].previous = place.index }
    slots[slot] = place.index
  }

  package mutating func clearDeadline(of place: Place) {
    let node = nodes[Int(place.index)]
    guard let deadline = node.deadline else { return }
    if node.previous >= 0 {
      nodes[Int(node.previous)].next = node.next
    } else {
      slots[slotIndex(deadline)] = node.next
    }
    if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
    nodes[Int(place.index)].deadline = nil
    nodes[Int(place.index)].next = -1
    nodes[Int(place.index)].previous = -1
  }

  /// Counts one tick. Returns the residents whose deadline has passed; it is cleared.
  package mutating func advance() -> [Resident] {
    now += 1
    var due: [Resident] = []
    var index = slots[slotIndex(now)]
    while index >= 0 {
      let node = nodes[Int(index)]
      if let deadline = node.deadline, deadline <= now, let resident = node.resident {
        due.append(resident)
        clearDeadline(of: Place(index: index))
      }
      index = node.next
    }
    return due
  }

  /// All residents, for the shutdown.
  package var residents: [Resident] { nodes.compactMap(\.resident) }

  private func slotIndex(_ tick: Int64) -> Int { Int(truncatingIfNeeded: tick) & (slots.count - 1) }
}
