import Testing

@testable import Gzip

@Suite("Gzip")
struct GzipTests {
  private static let text = Array(String(repeating: "words and words, ", count: 10_000).utf8)

  private func pack(_ bytes: [UInt8]) throws -> [UInt8] { try #require(bytes.withUnsafeBytes { Gzip.pack($0) }) }

  private func unpack(_ bytes: [UInt8], limit: Int = 1_000_000) throws -> [UInt8] {
    try bytes.withUnsafeBytes { try Gzip.unpack($0, limit: limit) }
  }

  @Test("gives back what it was given", arguments: [0, 1, 1_000, 65_535, 65_536, 65_537, 170_000])
  func whole(_ count: Int) throws {
    let bytes = Array(Self.text.prefix(count))
    #expect(try unpack(pack(bytes)) == bytes)
  }

  @Test("reads what others have packed")
  func others() throws {
    // `printf hello | gzip -n`
    let bytes: [UInt8] = [
      0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    #expect(try unpack(bytes) == Array("hello".utf8))
  }

  @Test("joins members that stand behind each other")
  func members() throws {
    #expect(try unpack(pack(Array("one ".utf8)) + pack(Array("two".utf8))) == Array("one two".utf8))
  }

  @Test("makes no more than it may, to the byte")
  func limit() throws {
    let packed = try pack(Self.text)
    #expect(try unpack(packed, limit: Self.text.count) == Self.text)
    #expect(throws: Gzip.Flaw.tooLarge) { try unpack(packed, limit: Self.text.count - 1) }
    #expect(throws: Gzip.Flaw.tooLarge) { try unpack(packed, limit: 0) }
  }

  @Test("takes nothing that is cut, changed or goes on with something else")
  func malformed() throws {
    let packed = try pack(Array("some text".utf8))
    for count in 0..<packed.count {
      #expect(throws: Gzip.Flaw.malformed, "\(count) bytes") { try unpack(Array(packed.prefix(count))) }
    }
    // Sum and length stand at the end.
    for place in packed.count - 8..<packed.count {
      var other = packed
      other[place] ^= 1
      #expect(throws: Gzip.Flaw.malformed, "byte \(place)") { try unpack(other) }
    }
    #expect(throws: Gzip.Flaw.malformed) { try unpack(packed + [1, 2, 3]) }
    #expect(throws: Gzip.Flaw.malformed) { try unpack(Array("plain text".utf8)) }
  }
}
