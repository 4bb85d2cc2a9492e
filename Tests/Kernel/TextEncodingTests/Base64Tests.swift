import Testing
import TextEncoding

@Suite("Base64")
struct Base64Tests {
  /// RFC 4648, 10.
  static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  @Test("the examples of the specification, there and back, with padding and without", arguments: vectors)
  func examples(plain: String, encoded: String) {
    let bare = String(encoded.prefix { $0 != "=" })
    #expect(Base64.encode(plain.utf8) == encoded)
    #expect(Base64.encodeForURL(plain.utf8) == bare && Base64.encodeForURL(plain.utf8, isPadded: true) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8) && Base64.decode(bare) == Array(plain.utf8))
  }

  @Test("either alphabet is read, and each writes its own")
  func alphabets() {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
    #expect(Base64.encode(bytes) == "++//" && Base64.encodeForURL(bytes) == "--__")
    #expect(Base64.decode("++//") == bytes && Base64.decode("--__") == bytes && Base64.decode("+-/_") == bytes)
    #expect(Base64.decode(digits: "++//".utf8, .url) == nil && Base64.decode(digits: "--__".utf8, .standard) == nil)
    #expect(Base64.isForURL(UInt8(ascii: "_")) && !Base64.isForURL(UInt8(ascii: "/")) && !Base64.isForURL(0x80))
  }

  @Test("what is none is refused", arguments: ["A", "AAAAA", "AA==A", "AA===", "A A=", "Ä", "AA\n", "====", "AB=C"])
  func malformed(text: String) { #expect(Base64.decode(text) == nil) }

  @Test("texts are equal in constant time or not, whatever their lengths")
  func constantTime() {
    #expect(ConstantTime.equal("secret", "secret") && !ConstantTime.equal("secret", "secreT"))
    #expect(!ConstantTime.equal("", "x") && ConstantTime.equal("", ""))
    #expect(ConstantTime.equal([1, 2], [1, 2]) && !ConstantTime.equal([1, 2], [1]) && !ConstantTime.equal([1], [2]))
  }

  @Test("a text in a URL keeps its letters, digits and four marks")
  func percent() {
    #expect(PercentEncoding.encode("aZ09-._~ /ä%") == "aZ09-._~%20%2F%C3%A4%25")
  }
}
