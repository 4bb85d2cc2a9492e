import Foundation

/// Counts what clients that have left leave behind: of a hundred thousand of a kind, the bytes that each of the second
/// half has cost. In a process of its own only, where nobody else allocates.
///
/// Unless `CARILLON_DEPARTURES=all` asks for the long form it is done thirty thousand times, and what takes a millisecond and
/// more each ten thousand times; the allocator's own breathing, a megabyte, then weighs three times and ten times as much.
public enum Departing {
  /// What was found.
  public struct Leak: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
  }

  private static let count = 100_000
  private static let bytesMaximum = 1_000_000.0
  private static let isLong = ProcessInfo.processInfo.environment["CARILLON_DEPARTURES"] == "all"

  /// For what costs a millisecond and more.
  ///
  /// - Parameters:
  ///   - kind: of departure, for people.
  ///   - depart: lets so many come and leave, and returns once all have been forgotten.
  public static func measureCostly(_ kind: String, _ depart: (Int) async throws -> Void) async throws {
    let count = isLong ? count : count / 10
    try await depart(count / 2)
    let before = Heap.bytesInUse
    try await depart(count / 2)
    try judge(kind, growth: Heap.bytesInUse - before, count: count)
  }

  /// On a thread of the caller's.
  public static func measure(_ kind: String, _ depart: (Int) throws -> Void) throws {
    let count = isLong ? count : count * 3 / 10
    try depart(count / 2)
    let before = Heap.bytesInUse
    try depart(count / 2)
    try judge(kind, growth: Heap.bytesInUse - before, count: count)
  }

  /// Waits for what comes at once, unless something holds it back for good.
  public static func until(_ isDone: () -> Bool) async throws {
    guard !isDone() else { return }
    let deadline = ContinuousClock.now + .seconds(60)
    while !isDone() {
      guard ContinuousClock.now < deadline else { throw Leak("whoever has left is still there") }
      await Task.yield()
    }
  }

  private static func judge(_ kind: String, growth: Int, count: Int) throws {
    let slope = Double(growth) / Double(count / 2)
    print("\(kind): \(slope) bytes a departure")
    guard slope <= bytesMaximum / Double(count / 2) else { throw Leak("\(kind): \(slope) bytes a departure") }
  }
}
