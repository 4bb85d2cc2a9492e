import JournalFormat

/// Reads the fields of one payload, each within its bounds, and all of it.
struct StandbyFieldReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func message(_ kind: StandbyMessage.Kind) throws(StandbyWireError) -> StandbyMessage {
    let message: StandbyMessage
    switch kind {
    case .hello: message = .hello(try hello())
    case .bytes: message = try piece()
    case .mark:
      message = .mark(
        StandbyMessage.Mark(
          place: try place(), position: try number(atMost: StandbyLimits.numberMaximum), timeMilliseconds: try time(),
          epoch: try epoch()))
    case .sealed:
      let end = try place()
      let version = try text(atMost: StandbyLimits.versionByteCountMaximum)
      guard StandbyFile.isVersion(version) else { throw .malformed }
      message = .sealed(segment: end.segment, fileByteCount: end.offset, version: version)
    case .changed: message = .changed
    case .file:
      let path = try text(atMost: StandbyLimits.pathByteCountMaximum)
      let byteCount = try number()
      let version = try text(atMost: StandbyLimits.versionByteCountMaximum)
      guard let file = StandbyFile(path: path, byteCount: byteCount, version: version) else { throw .malformed }
      message = .file(file)
    }
    guard offset == bytes.count else { throw .malformed }
    return message
  }

  private mutating func hello() throws(StandbyWireError) -> StandbyMessage.Hello {
    let version = try number()
    guard version == StandbyMessage.wireVersion else { throw .version(version) }
    let oldest = try number(atMost: StandbyLimits.numberMaximum)
    guard oldest > 0 else { throw .malformed }
    let identity = JournalIdentity(oldestSegment: oldest, oldestID: try id())
    return StandbyMessage.Hello(
      identity: identity, epoch: try epoch(), place: try place(),
      position: try number(atMost: StandbyLimits.numberMaximum))
  }

  private mutating func piece() throws(StandbyWireError) -> StandbyMessage {
    let start = try place()
    let rest = bytes[offset...]
    guard !rest.isEmpty, rest.count <= StandbyLimits.pieceByteCountMaximum,
      start.offset + rest.count <= StandbyLimits.segmentEndMaximum
    else { throw .malformed }
    offset = bytes.count
    return .bytes(start, Array(rest))
  }

  private mutating func number() throws(StandbyWireError) -> UInt64 {
    guard let base = bytes.baseAddress, let value = Varint.read(base, &offset, end: bytes.count) else {
      throw .malformed
    }
    return value
  }

  private mutating func number(atMost maximum: UInt64) throws(StandbyWireError) -> UInt64 {
    let value = try number()
    guard value <= maximum else { throw .malformed }
    return value
  }

  private mutating func time() throws(StandbyWireError) -> Int64 {
    let time = Varint.unzigzag(try number())
    guard (0...StandbyLimits.timeMaximumMilliseconds).contains(time) else { throw .malformed }
    return time
  }

  private mutating func epoch() throws(StandbyWireError) -> UInt32 {
    guard let epoch = UInt32(exactly: try number()), epoch > 0 else { throw .malformed }
    return epoch
  }

  private mutating func place() throws(StandbyWireError) -> StandbyPlace {
    let segment = try number(atMost: StandbyLimits.numberMaximum)
    let offset = try number(atMost: UInt64(StandbyLimits.segmentEndMaximum))
    guard segment > 0 else { throw .malformed }
    return StandbyPlace(segment: segment, offset: Int(offset))
  }

  private mutating func id() throws(StandbyWireError) -> SegmentID {
    guard bytes.count - offset >= 16 else { throw .malformed }
    defer { offset += 16 }
    return SegmentID(
      high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
  }

  private mutating func text(atMost maximum: Int) throws(StandbyWireError) -> String {
    let length = try number()
    guard length <= UInt64(min(maximum, bytes.count - offset)) else { throw .malformed }
    let end = offset + Int(length)
    defer { offset = end }
    guard let text = String(validating: bytes[offset..<end], as: UTF8.self) else { throw .malformed }
    return text
  }
}
