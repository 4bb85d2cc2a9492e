/// A segment some of whose records have been replaced by their leaves: the same frames, positions and chain hashes, its
/// blocks compressed anew (`FORMAT.md`, "Redaction").
public struct RedactedSegment: ~Copyable {
  private var output: ByteStore
  private var plain = ByteStore(capacity: 64 * 1024)
  private var salts = ByteStore(capacity: 16 * 1024)
  /// Records that were replaced.
  public private(set) var recordCount = 0

  /// The whole segment, valid as long as this value; longer than the original if the leaves take more room than what
  /// they replace.
  public var bytes: UnsafeRawBufferPointer { output.bytes }

  /// Replaces the records of a segment for which `matching` is true, but for those that are redacted already.
  ///
  /// - Parameter bytes: the whole segment, whose chain was checked.
  /// - Throws: what is wrong with it.
  public static func replacing(
    _ bytes: UnsafeRawBufferPointer, matching: (borrowing RecordView) -> Bool
  ) throws(FormatError) -> RedactedSegment {
    var scanner = try SegmentScanner(bytes)
    var result = RedactedSegment(capacity: bytes.count)
    // Frames first: how long the segment becomes, and so the seed of the checksums, is only known behind them. They are
    // encoded again once it is.
    var byteCount = scanner.header.segmentByteCount
    while true {
      var header = scanner.header
      header.segmentByteCount = byteCount
      try result.encode(&scanner, header, of: bytes, matching: matching)
      guard result.output.count > byteCount else { break }
      byteCount = FormatLimits.segmentByteCount(holding: result.output.count)
      scanner = try SegmentScanner(bytes)
    }
    let rest = byteCount - result.output.count
    UnsafeMutableRawBufferPointer(start: result.output.reserve(rest), count: rest)
      .initializeMemory(as: UInt8.self, repeating: 0)
    result.output.advance(rest)
    return result
  }

  private init(capacity: Int) { output = ByteStore(capacity: capacity) }

  private mutating func encode(
    _ scanner: inout SegmentScanner, _ header: SegmentHeader, of bytes: UnsafeRawBufferPointer,
    matching: (borrowing RecordView) -> Bool
  ) throws(FormatError) {
    let (page, seed) = header.encoded()
    output.truncate(to: 0)
    recordCount = 0
    page.withUnsafeBytes { output.append($0) }
    var encoder = FrameEncoder(seed: seed, chainHash: header.previousHash, epoch: header.epoch) { _ in }
    var decoder = FrameDecoder()
    while let frame = try scanner.next() {
      let saltsEnd = frame.bodyOffset + frame.header.saltsByteCount
      salts.truncate(to: 0)
      salts.append(bytes.slice(frame.bodyOffset..<saltsEnd))
      let original = try decoder.plainBytes(of: frame, in: bytes)
      let replaced = try replace(frame.header, original, matching)
      recordCount += replaced
      encoder.append(
        again: frame.header, plain: replaced > 0 ? plain.bytes : original, salts: salts.bytes,
        offset: output.count)
      output.append(encoder.encodedBytes)
      encoder.clearOutput()
    }
  }

  /// Fills `plain` and `salts` with what the frame has afterwards.
  ///
  /// - Returns: how many of its records were replaced; if none, `plain` is worth nothing.
  private mutating func replace(
    _ header: FrameHeader, _ original: UnsafeRawBufferPointer, _ matching: (borrowing RecordView) -> Bool
  ) throws(FormatError) -> Int {
    plain.truncate(to: 0)
    var cursor = RecordCursor(plain: original, header: header)
    var start = 0
    var index = 0
    var replaced = 0
    while let record = try cursor.next() {
      if !record.isRedacted, matching(record) {
        let salt = UnsafeMutableRawBufferPointer(
          start: salts.base + index * FormatLimits.saltByteCount, count: FormatLimits.saltByteCount)
        let leaf = ChainHasher.leaf(salt: UnsafeRawBufferPointer(salt), body: record.body)
        let body = plain.reserve(FormatLimits.redactedRecordByteCount)
        // The length of what follows, the kind, tag 0 with the mark, the leaf.
        body.storeBytes(of: UInt8(FormatLimits.redactedRecordByteCount - 1), as: UInt8.self)
        body.storeBytes(of: record.kind, toByteOffset: 1, as: UInt8.self)
        body.storeBytes(of: 1, toByteOffset: 2, as: UInt8.self)
        leaf.store(to: body + 3)
        plain.advance(FormatLimits.redactedRecordByteCount)
        salt.initializeMemory(as: UInt8.self, repeating: 0)
        replaced += 1
      } else {
        plain.append(original.slice(start..<cursor.offset))
      }
      start = cursor.offset
      index += 1
    }
    // Only a frame that no writer made can grow beyond that.
    guard plain.count <= FormatLimits.frameReadPlainByteCountMaximum else { throw .frameDamaged }
    return replaced
  }
}
