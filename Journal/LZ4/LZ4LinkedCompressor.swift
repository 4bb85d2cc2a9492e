internal import CLZ4

/// Compresses consecutive pieces of one buffer into blocks that may each refer to the 64 KiB before them.
///
/// Reuses its 16 KiB of state. Belongs to one thread at a time.
public struct LZ4LinkedCompressor: ~Copyable {
  private let stream: UnsafeMutablePointer<LZ4_stream_t>

  public init() {
    stream = .allocate(capacity: 1)
    LZ4_initStream(stream, MemoryLayout<LZ4_stream_t>.size)
  }

  deinit { stream.deallocate() }

  /// Forgets everything before: the next block refers to nothing but itself.
  public mutating func restart() { LZ4_resetStream_fast(stream) }

  /// Compresses `source`, which must begin where the previous piece since `restart` ended, with that still in place.
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
    let written = LZ4_compress_fast_continue(
      stream, from.assumingMemoryBound(to: CChar.self), to.assumingMemoryBound(to: CChar.self), Int32(source.count),
      Int32(clamping: destination.count), 1)
    precondition(written > 0, "LZ4 compresses anything into the worst-case size")
    return Int(written)
  }
}
