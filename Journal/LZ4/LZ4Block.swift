internal import CLZ4

/// Single LZ4 blocks without the LZ4 frame around them.
public enum LZ4Block {
  /// How far back, in bytes, a block may refer.
  public static let windowByteCount = 64 * 1024

  /// The most that `count` bytes can become; for at most `Int32.max` bytes.
  public static func maximumCompressedByteCount(_ count: Int) -> Int {
    precondition(count >= 0 && count <= LZ4_MAX_INPUT_SIZE, "an LZ4 block has at most 2,113,929,216 bytes")
    return Int(LZ4_compressBound(Int32(count)))
  }

  /// Has one of the library's functions pack `source` into `destination`, which has room for whatever becomes of it.
  ///
  /// - Returns: the number of bytes written.
  @inline(__always)
  static func compress(
    _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer,
    _ pack: (UnsafePointer<CChar>, UnsafeMutablePointer<CChar>, _ count: Int32, _ room: Int32) -> Int32
  ) -> Int {
    precondition(
      destination.count >= maximumCompressedByteCount(source.count), "the destination has room for the worst case")
    guard let from = source.baseAddress, let to = destination.baseAddress else { return 0 }
    let written = pack(
      from.assumingMemoryBound(to: CChar.self), to.assumingMemoryBound(to: CChar.self), Int32(source.count),
      Int32(clamping: destination.count))
    precondition(written > 0, "LZ4 compresses anything into the worst-case size")
    return Int(written)
  }

  /// Unpacks `block` into `destination`, which is also the largest output it may make.
  ///
  /// - Parameter dictionaryByteCount: plain bytes that stand immediately before `destination` in memory and that the
  ///   block may refer to.
  /// - Returns: the number of bytes written; nil if the block is damaged or wants more room.
  public static func decompress(
    _ block: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer, dictionaryByteCount: Int
  ) -> Int? {
    guard let source = block.baseAddress, let target = destination.baseAddress, dictionaryByteCount >= 0,
      let sourceCount = Int32(exactly: block.count), let targetCount = Int32(exactly: destination.count)
    else { return nil }
    let dictionaryCount = min(dictionaryByteCount, windowByteCount)
    let dictionary = UnsafeRawPointer(target) - dictionaryCount
    let written = LZ4_decompress_safe_usingDict(
      source.assumingMemoryBound(to: CChar.self), target.assumingMemoryBound(to: CChar.self), sourceCount, targetCount,
      dictionary.assumingMemoryBound(to: CChar.self), Int32(dictionaryCount))
    return written < 0 ? nil : Int(written)
  }
}
