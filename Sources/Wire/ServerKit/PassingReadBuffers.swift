package import NIOCore

/// A read buffer for each read, which goes with what was read into it: a connection that waits keeps none.
///
/// NIO holds on to the first buffer of a connection for as long as that lives. So the first one is small, and takes the
/// beginning of what the client says first; every later one is as large as the reads before it ask for. Wants
/// `maxMessagesPerRead` to be 1: NIO would keep as many buffers as it may read in one turn.
package struct PassingReadBuffers: RecvByteBufferAllocator {
  /// What a connection keeps.
  package static let keptBytes = 64

  private var sizes: AdaptiveRecvByteBufferAllocator
  private var hasRead = false

  /// - Parameters:
  ///   - initial: bytes of the first buffer behind the one that is kept. Rounded to a power of two, as the other.
  ///   - maximum: what they grow to while reads fill them.
  package init(initial: Int, maximum: Int) {
    sizes = AdaptiveRecvByteBufferAllocator(minimum: initial, initial: initial, maximum: maximum)
  }

  package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
    hasRead ? sizes.buffer(allocator: allocator) : allocator.buffer(capacity: Self.keptBytes)
  }

  /// Nil: no buffer is to be used again.
  package func nextBufferSize() -> Int? { nil }

  package mutating func record(actualReadBytes: Int) -> Bool {
    if hasRead { _ = sizes.record(actualReadBytes: actualReadBytes) }
    hasRead = true
    // Whether the next one may be larger; if not, NIO would take the one that it has kept.
    return true
  }
}
