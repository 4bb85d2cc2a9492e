public import SystemPackage

/// What goes wrong on a disk, and when.
public struct DiskFault: Sendable {
  public enum Outcome: Sendable, Hashable {
    /// The call throws. What it was to write may have been written in part; what it was to sync may be lost.
    case fail(Errno)
    /// A write takes about half of its bytes and says so; any other call succeeds.
    case shortWrite
  }

  public var outcome: Outcome
  /// Counts the calls that `matches` takes, from 1 at the moment when the fault was set.
  public var call: Int
  /// All calls from `call` on, not only that one.
  public var lasts: Bool
  public var matches: @Sendable (StorageCall) -> Bool

  public init(
    _ outcome: Outcome, call: Int = 1, lasts: Bool = false,
    matches: @escaping @Sendable (StorageCall) -> Bool = { _ in true }
  ) {
    self.outcome = outcome
    self.call = call
    self.lasts = lasts
    self.matches = matches
  }
}
