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
    LZ4Block.compress(source, into: destination) { from, to, count, room in
      LZ4_compress_fast_continue(stream, from, to, count, room, 1)
    }
  }
}
