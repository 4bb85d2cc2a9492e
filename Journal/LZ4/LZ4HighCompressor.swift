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
    LZ4Block.compress(source, into: destination) { from, to, count, room in
      LZ4_compress_HC_extStateHC(state, from, to, count, room, level)
    }
  }
}
