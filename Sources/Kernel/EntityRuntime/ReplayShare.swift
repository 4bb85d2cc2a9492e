#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whose entities a thread rebuilds where several replay one journal. All records of an entity are in one share, so
/// that they stay in their order.
public struct ReplayShare: Sendable, Equatable {
  /// From 0 to `count - 1`.
  public let index: Int
  /// Shares in all.
  public let count: Int

  /// Beyond it another thread gains less than it costs: each goes through all records.
  static let countMaximum = 4

  /// The one share of a replay that is not shared.
  public static let all = ReplayShare(index: 0, count: 1)

  /// As many as there is something to gain from: one for each processor, divided among journals that are replayed at
  /// once.
  public static func ofThisMachine(among journals: Int = 1) -> [ReplayShare] {
    each(of: min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / journals), countMaximum))
  }

  public static func each(of count: Int) -> [ReplayShare] {
    (0..<count).map { ReplayShare(index: $0, count: count) }
  }

  /// - Parameter hash: of an entity's key. Its low bits find the entity within the share.
  @inlinable
  func has(_ hash: UInt64) -> Bool {
    // Keys that differ in their last characters only differ in few of its high bits: mixed once more.
    let mixed = (hash &* 0x9E37_79B9_7F4A_7C15) >> 32
    return Int((mixed &* UInt64(count)) >> 32) == index
  }
}
