import Journal
import Testing

@testable import JournalFormat

@Suite("Journal, tamper evidence")
struct ChainTests {
  /// Frame `index` of a segment taken apart, changed, and put back with a right checksum and its old chain hash.
  private static func rewritten(
    _ change: (_ bodies: inout [[UInt8]], _ salts: inout [[UInt8]]) -> Void
  ) throws -> [UInt8] {
    var builder = SegmentBuilder()
    try builder.add(sampleRecords(5))
    var segment = builder.bytes
    let frame = try #require(
      try segment.withUnsafeBytes { bytes in
        var scanner = try SegmentScanner(bytes)
        return try scanner.next()
      })
    var bodies: [[UInt8]] = []
    var salts: [[UInt8]] = []
    let seed = try segment.withUnsafeBytes { bytes -> UInt32 in
      var decoder = FrameDecoder()
      try decoder.forEachRecord(of: frame, in: bytes) { bodies.append(Array($0.body)) }
      for index in 0..<frame.header.recordCount {
        let start = frame.bodyOffset + index * 16
        salts.append(Array(bytes[start..<(start + 16)]))
      }
      return try SegmentHeader.decode(bytes).seed
    }
    change(&bodies, &salts)
    var plain: [UInt8] = []
    for body in bodies {
      // A length of one or two bytes, as the samples need.
      if body.count < 128 {
        plain.append(UInt8(body.count))
      } else {
        plain += [UInt8(body.count & 127) | 128, UInt8(body.count >> 7)]
      }
      plain += body
    }
    var header = frame.header
    header.codec = .raw
    header.plainByteCount = plain.count
    header.bodyByteCount = salts.count * 16 + plain.count
    var bytes = [UInt8](repeating: 0, count: 88)
    for salt in salts { bytes += salt }
    bytes += plain
    bytes.withUnsafeMutableBytes { header.encode(into: $0, seed: seed) }
    // It is the only frame, and longer than the compressed one.
    segment.replaceSubrange(frame.offset..<(frame.offset + bytes.count), with: bytes)
    return segment
  }

  @Test("a frame that was rewritten as it was verifies: compression is not part of the chain")
  func unchanged() throws {
    let bytes = try Self.rewritten { _, _ in }
    #expect(try bytes.withUnsafeBytes { try records(in: $0) } == sampleRecords(5))
  }

  @Test("a changed record, a changed salt, swapped records: the chain breaks", arguments: 0...3)
  func tampered(kind: Int) throws {
    let bytes = try Self.rewritten { bodies, salts in
      switch kind {
      case 0: bodies[2][bodies[2].count - 1] ^= 1
      case 1: salts[2][0] ^= 1
      case 2: bodies.swapAt(0, 1)
      default: bodies[4][0] ^= 1
      }
    }
    #expect(throws: FormatError.chainBroken) { try bytes.withUnsafeBytes { try records(in: $0) } }
  }

  @Test("a record replaced by its leaf verifies, and its content is gone")
  func redacted() throws {
    let bytes = try Self.rewritten { bodies, salts in
      let leaf = salts[2].withUnsafeBytes { salt in
        bodies[2].withUnsafeBytes { ChainHasher.leaf(salt: salt, body: $0) }
      }
      var leafBytes = [UInt8](repeating: 0, count: 32)
      leafBytes.withUnsafeMutableBytes { if let base = $0.baseAddress { leaf.store(to: base) } }
      bodies[2] = [bodies[2][0], 1] + leafBytes
      salts[2] = [UInt8](repeating: 0, count: 16)
    }
    try bytes.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      let previous = scanner.chainHash
      let frame = try #require(try scanner.next())
      var decoder = FrameDecoder()
      var redacted: [UInt64] = []
      var kept: [PendingRecord] = []
      try decoder.forEachRecord(of: frame, in: bytes, previousHash: previous) { record in
        if record.isRedacted {
          redacted.append(record.position)
          #expect(record.payload.isEmpty && record.key.isEmpty && record.kind == sampleRecords(5)[2].kind)
        } else {
          kept.append(PendingRecord(record))
        }
      }
      #expect(redacted == [3])
      var expected = sampleRecords(5)
      expected.remove(at: 2)
      #expect(kept == expected)
    }
  }

  @Test("a redacted record's kind cannot be changed, and its salt must be gone", arguments: [true, false])
  func redactedTampered(keepsSalt: Bool) throws {
    let bytes = try Self.rewritten { bodies, salts in
      let leaf = salts[2].withUnsafeBytes { salt in
        bodies[2].withUnsafeBytes { ChainHasher.leaf(salt: salt, body: $0) }
      }
      var leafBytes = [UInt8](repeating: 0, count: 32)
      leafBytes.withUnsafeMutableBytes { if let base = $0.baseAddress { leaf.store(to: base) } }
      bodies[2] = [keepsSalt ? bodies[2][0] : bodies[2][0] ^ 1, 1] + leafBytes
      if !keepsSalt { salts[2] = [UInt8](repeating: 0, count: 16) }
    }
    #expect(throws: FormatError.chainBroken) { try bytes.withUnsafeBytes { try records(in: $0) } }
  }
}
