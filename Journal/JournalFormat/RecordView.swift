/// One record where it lies in memory; valid only inside the closure that it was handed to.
public struct RecordView: ~Copyable {
  /// Number of the record in the whole journal, from 1.
  public let position: UInt64
  /// The frozen number of the entity's kind.
  public let kind: UInt8
  /// The entity's key, UTF-8; empty if redacted.
  public let key: UnsafeRawBufferPointer
  /// The entity's own sequence number.
  public let sequence: UInt64
  /// Milliseconds since 1970; the frame's time if redacted.
  public let timeMilliseconds: Int64
  /// The frozen number of the event's case; 0 if redacted.
  public let tag: UInt16
  public let payload: UnsafeRawBufferPointer
  /// The content was erased lawfully; kind and position stay.
  public let isRedacted: Bool
  /// The body as it is hashed, behind the salt; of a redacted record, its leaf.
  public let body: UnsafeRawBufferPointer

  /// The entity's key; damaged UTF-8 is repaired, so compare `key` where that matters.
  public var keyText: String { String(decoding: key, as: UTF8.self) }
}

/// Walks over the plain bytes of one frame without copying.
struct RecordCursor {
  private let plain: UnsafeRawBufferPointer
  private let header: FrameHeader
  /// Where the next record begins.
  private(set) var offset = 0
  private var index = 0

  init(plain: UnsafeRawBufferPointer, header: FrameHeader) {
    self.plain = plain
    self.header = header
  }

  /// The next record; nil after the last.
  ///
  /// - Throws: `recordDamaged`.
  mutating func next() throws(FormatError) -> RecordView? {
    guard index < header.recordCount else {
      guard offset == plain.count else { throw .recordDamaged(index: index) }
      return nil
    }
    guard let base = plain.baseAddress, let length = Varint.read(base, &offset, end: plain.count),
      length >= 2, length <= UInt64(plain.count - offset)
    else { throw .recordDamaged(index: index) }
    let body = UnsafeRawBufferPointer(start: base + offset, count: Int(length))
    let position = header.firstPosition + UInt64(index)
    guard let record = RecordView(body: body, position: position, frameTimeMilliseconds: header.timeMilliseconds) else {
      throw .recordDamaged(index: index)
    }
    offset += Int(length)
    index += 1
    return record
  }
}

extension RecordView {
  /// Reads a record's body as it is hashed; what it hands out lies there. Spec: FORMAT.md, "Records".
  ///
  /// - Parameter frameTimeMilliseconds: what the record's own time is counted from; who has no frame does not know it.
  /// - Returns: nil if it is no record's body.
  public init?(body: UnsafeRawBufferPointer, position: UInt64, frameTimeMilliseconds: Int64) {
    guard body.count >= 2, let base = body.baseAddress else { return nil }
    let end = body.count
    let kind = base.load(as: UInt8.self)
    var offset = 1
    guard let tagAndFlag = Varint.read(base, &offset, end: end), tagAndFlag >> 1 <= UInt64(UInt16.max) else {
      return nil
    }
    if tagAndFlag & 1 == 1 {
      guard tagAndFlag == 1, end - offset == 32 else { return nil }
      self.init(
        position: position, kind: kind, key: UnsafeRawBufferPointer(start: nil, count: 0), sequence: 0,
        timeMilliseconds: frameTimeMilliseconds, tag: 0, payload: UnsafeRawBufferPointer(start: nil, count: 0),
        isRedacted: true, body: UnsafeRawBufferPointer(start: base + offset, count: 32))
      return
    }
    guard let keyLength = Varint.read(base, &offset, end: end),
      keyLength <= UInt64(min(end - offset, FormatLimits.keyByteCountMaximum))
    else { return nil }
    let key = UnsafeRawBufferPointer(start: base + offset, count: Int(keyLength))
    offset += Int(keyLength)
    guard let sequence = Varint.read(base, &offset, end: end), let delta = Varint.read(base, &offset, end: end) else {
      return nil
    }
    self.init(
      position: position, kind: kind, key: key, sequence: sequence,
      timeMilliseconds: frameTimeMilliseconds &+ Varint.unzigzag(delta), tag: UInt16(tagAndFlag >> 1),
      payload: UnsafeRawBufferPointer(start: base + offset, count: end - offset), isRedacted: false, body: body)
  }
}
