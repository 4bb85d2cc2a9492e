internal import CLZ4

/// Compresses independent blocks slowly and well; what it makes is unpacked as fast as any other block.
///
/// Reuses its 256 KiB of state. Belongs to one thread at a time.
public struct LZ4HighCompressor: ~Copyable {
  private let state: UnsafeMutableRawPointer
  private let level = Int32(LZ4HC_CLEVEL_DEFAULT)

  public init() { state = .allocate(byteCount: Int(LZ4_sizeofStateHC()), alignment: 16) }

  deinit { state.deallocate() }

  /// Compresses `source`.
  ///
  /// - Parameter destination: at least `LZ4Block.maximumCompressedByteCount(source.count)` bytes.
  /// - Returns: the number of bytes written; it may be more than went in.
  public mutating func compress(
    _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
  ) -> Int {
    precondition(
      destination.count >= LZ4Block.maximumCompressedByteCount(source.count),
      "the destination has room for the worst case")
    guard let from = source.baseAddress, let to = destination.baseAddress else { return 0 }
    let written = LZ4_compress_HC_extStateHC(
      state, from.assumingMemoryBound(to: CChar.self), to.assumingMemoryBound(to: CChar.self), Int32(source.count),
      Int32(clamping: destination.count), level)
    precondition(written > 0, "LZ4 compresses anything into the worst-case size")
    return Int(written)
  }
}
