/// With what the terms of a record index are hashed: who has not got it learns nothing from a hash, not even whether a
/// term that they can guess is there (`FORMAT.md`, "Record index").
public struct RecordIndexKey: Sendable, Equatable {
  static let magic: [UInt8] = Array("CARIXKEY".utf8)
  static let version: UInt32 = 1
  public static let fileByteCount = 40

  private let low: UInt64
  private let high: UInt64

  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// - Parameter space: tells terms of one meaning from those of another.
  public func hash(space: UInt16, _ term: String) -> UInt64 {
    var bytes: [UInt8] = [UInt8(truncatingIfNeeded: space), UInt8(truncatingIfNeeded: space >> 8)]
    bytes.append(contentsOf: term.utf8)
    return bytes.withUnsafeBytes { hash($0) }
  }

  /// Tells whether two keys are the same without telling the key: no term is empty.
  public var check: UInt64 { hash(UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// SipHash-2-4 (Aumasson and Bernstein, 2012).
  func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = SipState(low, high)
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) { state.absorb(bytes.little(offset, as: UInt64.self)) }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for offset in whole..<bytes.count { last |= UInt64(bytes[offset]) << (8 * UInt64(offset - whole)) }
    state.absorb(last)
    return state.finish()
  }

  // MARK: The file

  public func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.fileByteCount)
    bytes.withUnsafeMutableBytes { bytes in
      bytes.store(low, little: 16)
      bytes.store(high, little: 24)
      _ = bytes.closeHeader(magic: Self.magic, version: Self.version)
    }
    return bytes
  }

  /// Nil if these are not the bytes that were written.
  public static func decode(_ bytes: UnsafeRawBufferPointer) -> RecordIndexKey? {
    guard bytes.count == fileByteCount,
      bytes.headerFault(magic: magic, version: version, byteCount: fileByteCount) == nil
    else { return nil }
    return RecordIndexKey(low: bytes.little(16, as: UInt64.self), high: bytes.little(24, as: UInt64.self))
  }
}

private struct SipState {
  private var v0, v1, v2, v3: UInt64

  init(_ low: UInt64, _ high: UInt64) {
    v0 = low ^ 0x736f_6d65_7073_6575
    v1 = high ^ 0x646f_7261_6e64_6f6d
    v2 = low ^ 0x6c79_6765_6e65_7261
    v3 = high ^ 0x7465_6462_7974_6573
  }

  mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func finish() -> UInt64 {
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    v0 = v0 &+ v1
    v1 = Self.rotated(v1, 13) ^ v0
    v0 = Self.rotated(v0, 32)
    v2 = v2 &+ v3
    v3 = Self.rotated(v3, 16) ^ v2
    v0 = v0 &+ v3
    v3 = Self.rotated(v3, 21) ^ v0
    v2 = v2 &+ v1
    v1 = Self.rotated(v1, 17) ^ v2
    v2 = Self.rotated(v2, 32)
  }

  private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { (word << bits) | (word >> (64 - bits)) }
}
