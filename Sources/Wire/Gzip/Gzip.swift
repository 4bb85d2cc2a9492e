import CZlib

/// Bytes in the format of gzip, whole in memory. Spec: RFC 1952.
public enum Gzip {
  /// Why bytes cannot be unpacked.
  public enum Flaw: Error {
    /// They are not gzip, or not whole.
    case malformed
    /// They hold more than is allowed.
    case tooLarge
  }

  /// A window of 32 KiB, and the format of gzip around it.
  private static let windowBits = MAX_WBITS + 16
  private static let memoryLevel: CInt = 8
  private static let level: CInt = 6
  /// Room that is made at a time for what is unpacked.
  private static let stepBytes = 65_536

  /// Packs bytes. - Returns: nil if there is no memory for it.
  public static func pack(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, level, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        CInt(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
    var isWhole = false
    let packed = [UInt8](unsafeUninitializedCapacity: capacity) { room, count in
      feed(bytes, to: &stream)
      stream.next_out = room.baseAddress
      stream.avail_out = UInt32(capacity)
      isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
      count = capacity - Int(stream.avail_out)
    }
    return isWhole ? packed : nil
  }

  /// Unpacks bytes: one member, or several behind each other. Spec: RFC 1952, 2.2.
  ///
  /// - Parameter limit: the most bytes that may come of it; little more than that is ever made.
  public static func unpack(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(Flaw) -> [UInt8] {
    var stream = z_stream()
    guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .malformed
    }
    defer { inflateEnd(&stream) }
    feed(bytes, to: &stream)
    var unpacked: [UInt8] = []
    while true {
      var status = Z_OK
      let room = min(stepBytes, limit - unpacked.count + 1)
      unpacked += [UInt8](unsafeUninitializedCapacity: room) { step, count in
        stream.next_out = step.baseAddress
        stream.avail_out = UInt32(room)
        status = inflate(&stream, Z_NO_FLUSH)
        count = room - Int(stream.avail_out)
      }
      guard unpacked.count <= limit else { throw .tooLarge }
      switch status {
      case Z_STREAM_END where stream.avail_in == 0: return unpacked
      case Z_STREAM_END: guard inflateReset(&stream) == Z_OK else { throw .malformed }
      // With room left it would have gone on if there were more.
      case Z_OK: guard stream.avail_out == 0 || stream.avail_in > 0 else { throw .malformed }
      default: throw .malformed
      }
    }
  }

  /// zlib only reads there.
  private static func feed(_ bytes: UnsafeRawBufferPointer, to stream: inout z_stream) {
    stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.avail_in = UInt32(bytes.count)
  }
}
