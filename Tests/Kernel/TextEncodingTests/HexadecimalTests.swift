import Testing
import TextEncoding

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test(
    "are two for each byte, in lowercase",
    arguments: [([], ""), ([0], "00"), ([0x0F, 0xF0], "0ff0"), ([0xDE, 0xAD, 0xBE, 0xEF], "deadbeef")]
      as [([UInt8], String)])
  func both(bytes: [UInt8], text: String) {
    #expect(Hexadecimal.encode(bytes) == text)
    #expect(Hexadecimal.encode(AnySequence(bytes)) == text)
    #expect(Hexadecimal.decode(text) == bytes)
    #expect(Hexadecimal.decode(text.uppercased()) == bytes)
  }

  @Test("are read only in pairs, and only if each is one", arguments: ["0", "abc", "0g", "+f", " 0", "0x1f", "é"])
  func malformed(text: String) { #expect(Hexadecimal.decode(text) == nil) }

  @Test("are twenty-two letters, each with its value")
  func values() {
    let digits = (UInt8.min...UInt8.max).filter(Hexadecimal.isDigit)
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
    #expect(digits.compactMap(Hexadecimal.value) == Array(0...9) + Array(10...15) + Array(10...15))
  }
}
