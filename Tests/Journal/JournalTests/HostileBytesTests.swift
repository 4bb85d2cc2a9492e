import Journal
import LZ4
import TestSupport
import Testing

@testable import JournalFormat

@Suite("Journal, bytes of an enemy with right checksums")
struct HostileBytesTests {
  private static func journal() throws -> (bytes: [UInt8], start: Int, end: Int, seed: UInt32) {
    var builder = SegmentBuilder(byteCount: 16 * 1024)
    try builder.add(sampleRecords(10))
    let start = builder.offset
    try builder.add(sampleRecords(10, from: 10))
    let seed = try builder.bytes.withUnsafeBytes { try SegmentHeader.decode($0).seed }
    return (builder.bytes, start, builder.offset, seed)
  }

  /// Makes the checksum of the frame at `start` right again, as far as its length lies inside.
  private static func seal(_ bytes: inout [UInt8], at start: Int, seed: UInt32) {
    bytes.withUnsafeMutableBytes { bytes in
      let whole = UnsafeRawBufferPointer(bytes)
      let end = start + 88 + Int(whole.little(start + 8, as: UInt32.self))
      guard end <= bytes.count else { return }
      bytes.store(whole.slice((start + 8)..<end).checksum(seed: seed), little: start + 4)
    }
  }

  @Test(
    "a length, count or position beyond its bound is not believed",
    arguments: [8, 12, 16, 24, 28, 48], [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
  func hostileField(offset: Int, value: UInt32) throws {
    var (bytes, start, _, seed) = try Self.journal()
    let original = bytes.withUnsafeBytes { $0.little(start + offset, as: UInt32.self) }
    bytes.withUnsafeMutableBytes { $0.store(value, little: start + offset) }
    Self.seal(&bytes, at: start, seed: seed)
    let found = try? bytes.withUnsafeBytes { try records(in: $0) }
    // A durable offset that claims less than the truth is no lie about the records.
    let isHarmless = value == original || (offset == 48 && value < UInt32(start))
    #expect(found == (isHarmless ? sampleRecords(20) : sampleRecords(10)) || (!isHarmless && found == nil))
  }

  @Test("whatever stands in header and body: an error or records, never a trap", arguments: 1...300)
  func mutated(seed: UInt64) throws {
    var (bytes, start, end, checksumSeed) = try Self.journal()
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let offset = Int.random(in: (start + 8)..<end, using: &generator)
      bytes[offset] = UInt8.random(in: 0...255, using: &generator)
    }
    Self.seal(&bytes, at: start, seed: checksumSeed)
    bytes.withUnsafeBytes { bytes in
      let unchecked = try? records(in: bytes, checkingHashes: false)
      let checked = try? records(in: bytes)
      #expect(unchecked?.prefix(10).elementsEqual(sampleRecords(10)) ?? true)
      // With the hashes, nothing that was changed passes.
      #expect(checked == nil || checked == sampleRecords(10) || checked == sampleRecords(20))
    }
  }

  @Test("random segment headers never trap", arguments: 1...50)
  func randomHeader(seed: UInt64) throws {
    var bytes = try Self.journal().bytes
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<4 { bytes[Int.random(in: 8..<4092, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
    bytes.withUnsafeMutableBytes { bytes in
      bytes.store(UnsafeRawBufferPointer(rebasing: bytes[..<4092]).checksum(seed: 0), little: 4092)
    }
    bytes.withUnsafeBytes { bytes in
      guard let (header, _) = try? SegmentHeader.decode(bytes) else { return }
      #expect(FormatLimits.isValidSegmentByteCount(header.segmentByteCount))
    }
  }

  @Test("a block unpacks into its room and not beyond", arguments: 1...200)
  func randomBlock(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let block = (0..<Int.random(in: 1...300, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
    }
    var room = [UInt8](repeating: 0xEE, count: 4096)
    room.withUnsafeMutableBytes { room in
      let target = UnsafeMutableRawBufferPointer(rebasing: room[1024..<3072])
      let count = block.withUnsafeBytes { LZ4Block.decompress($0, into: target, dictionaryByteCount: 1024) }
      #expect(count ?? 0 <= target.count)
      #expect(room[3072...].allSatisfy { $0 == 0xEE })
    }
  }

  @Test("a block that wants one byte more than its room is refused")
  func exactRoom() throws {
    let plain = Array("the parcel, the parcel, the parcel, the parcel is on its way".utf8)
    var compressor = LZ4LinkedCompressor()
    var block = [UInt8](repeating: 0, count: LZ4Block.maximumCompressedByteCount(plain.count))
    let count = plain.withUnsafeBytes { plain in block.withUnsafeMutableBytes { compressor.compress(plain, into: $0) } }
    #expect(count < plain.count)
    for room in [plain.count, plain.count - 1] {
      var target = [UInt8](repeating: 0, count: room)
      let result = block.prefix(count).withUnsafeBytes { block in
        target.withUnsafeMutableBytes { LZ4Block.decompress(block, into: $0, dictionaryByteCount: 0) }
      }
      #expect(result == (room == plain.count ? plain.count : nil))
    }
  }
}
