import Testing
import TextEncoding

@Suite("SHA-256 of what is at hand")
struct SHA256BytesTests {
  /// FIPS 180-4, examples; the last one has 112 bytes.
  @Test(
    "is that of the standard's examples, of a text and of its bytes",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func examples(_ text: String, _ digest: String) {
    #expect(Hexadecimal.encode(SHA256Bytes.of(text)) == digest)
    #expect(Hexadecimal.encode(SHA256Bytes.of(Array(text.utf8))) == digest)
  }
}
