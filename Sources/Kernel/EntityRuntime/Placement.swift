/// Which partition something lies in: a pure function of what it is found by, the same as long as the data directory is.
public struct Placement: Sendable, Equatable {
  /// Partitions in all, at least 1.
  public let count: Int
  /// Drawn with the data directory: who chooses keys cannot choose a partition.
  public let seed: UInt64

  /// Where there is only one.
  public static let single = Placement(count: 1, seed: 0)

  /// - Precondition: `count` is positive.
  public init(count: Int, seed: UInt64) {
    precondition(count > 0, "there is no place to lie in")
    self.count = count
    self.seed = seed
  }

  /// From 0 to `count - 1`. Frozen: FNV-1a of the seed and the bytes, mixed by the end of MurmurHash3, scaled by its high
  /// half.
  public func partition(of key: some StringProtocol) -> Int {
    guard count > 1 else { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    withUnsafeBytes(of: seed.littleEndian) { for byte in $0 { add(byte) } }
    for byte in key.utf8 { add(byte) }
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    return Int(((hash >> 32) &* UInt64(count)) >> 32)
  }
}
