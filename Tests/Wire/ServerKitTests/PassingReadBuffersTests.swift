import NIOCore
import ServerKit
import Testing

/// What NIO's pool makes of them: one read in each turn, as `Listener` has it.
@Suite("Read buffers that pass")
struct PassingReadBuffersTests {
  private struct Reader {
    var pool = NIOPooledRecvBufferAllocator(
      capacity: 1, recvAllocator: PassingReadBuffers(initial: 512, maximum: 2_048))

    /// Has so many bytes read, or as many as there is room for.
    mutating func read(_ count: Int = .max) -> ByteBuffer {
      let (buffer, read) = pool.buffer(allocator: ByteBufferAllocator()) { buffer in
        let read = min(count, buffer.writableBytes)
        return buffer.writeRepeatingByte(7, count: read)
      }
      pool.record(actualReadBytes: read)
      return buffer
    }
  }

  @Test("all that is kept is the first, small one")
  func kept() {
    var reader = Reader()
    #expect(reader.read().readableBytes == PassingReadBuffers.keptBytes)
    for _ in 0..<5 {
      var buffer = reader.read(300)
      #expect(buffer.readableBytes == 300)
      // Nobody else has it: it goes when its reader lets go of it.
      #expect(buffer.modifyIfUniquelyOwned { _ in true } == true)
    }
    #expect(reader.pool.count == 1)
  }

  @Test("buffers that are held are not read into")
  func held() {
    var reader = Reader()
    let first = reader.read()
    let held = (0..<4).map { reader.read(100 + $0) }
    #expect(first.readableBytes == PassingReadBuffers.keptBytes)
    #expect(held.map(\.readableBytes) == [100, 101, 102, 103])
  }

  @Test("reads that fill them make them grow, up to the maximum; small ones make them shrink, down to the first size")
  func sizes() {
    var reader = Reader()
    _ = reader.read()
    #expect((0..<4).map { _ in reader.read().readableBytes } == [512, 1_024, 2_048, 2_048])
    for _ in 0..<8 { _ = reader.read(10) }
    #expect(reader.read().readableBytes == 512)
  }

  @Test("a connection that has read nothing yet is given the small one again")
  func nothingRead() {
    var pool = Reader().pool
    for _ in 0..<2 {
      let (buffer, _) = pool.buffer(allocator: ByteBufferAllocator()) { _ in 0 }
      #expect(buffer.capacity == PassingReadBuffers.keptBytes)
    }
  }
}
