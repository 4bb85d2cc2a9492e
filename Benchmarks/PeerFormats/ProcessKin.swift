/// What the kernel says in `/proc/PID/stat` of a process and its kin.
package struct ProcessKin: Sendable, Equatable {
  package let parent: Int32
  /// User and system time, clock ticks.
  package let ticks: Int
  /// The same of its children that have ended and were waited for, and of theirs.
  package let ticksOfEnded: Int

  /// - Returns: nil if it is something else.
  package init?(_ text: String) {
    // The name in parentheses may hold blanks; fields are counted behind it.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
    guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
    let times = fields[11...14].compactMap { Int($0) }
    guard times.count == 4 else { return nil }
    (self.parent, ticks, ticksOfEnded) = (parent, times[0] + times[1], times[2] + times[3])
  }

  /// Ticks of some processes and of all that are below them.
  /// - Parameter all: every process by its id.
  package static func ticks(of roots: [Int32], among all: [Int32: ProcessKin]) -> Int {
    let children = Dictionary(grouping: all.keys) { all[$0]?.parent ?? 0 }
    var sum = 0
    var left = roots
    var seen: Set<Int32> = []
    while let next = left.popLast() {
      guard let stat = all[next], seen.insert(next).inserted else { continue }
      sum += stat.ticks + stat.ticksOfEnded
      left += children[next] ?? []
    }
    return sum
  }
}
