import TestSupport
import Testing

@testable import JournalFormat

@Suite("SHA-256 of many messages")
struct SHA256BatchTests {
  /// The digests of messages, each cut into head and body, as hexadecimal digits.
  private static func digests(_ messages: [(head: [UInt8], body: [UInt8])], byLibrary: Bool = false) -> [String] {
    var batch = SHA256Batch()
    var digests = [UInt8](repeating: 0xEE, count: messages.count * 32)
    // In one piece, so that nothing moves before the batch has run.
    var store: [UInt8] = []
    for message in messages { store += message.head + message.body }
    digests.withUnsafeMutableBytes { digests in
      store.withUnsafeBytes { store in
        var offset = 0
        for (index, message) in messages.enumerated() {
          let middle = offset + message.head.count
          let end = middle + message.body.count
          batch.append(
            head: store.slice(offset..<middle), body: store.slice(middle..<end),
            digest: digests.baseAddress! + index * 32)
          offset = end
        }
        if byLibrary { batch.runByLibrary() } else { batch.run() }
      }
    }
    return digests.withUnsafeBytes { bytes in
      messages.indices.map { Hash256(bytes.slice(($0 * 32)..<($0 * 32 + 32)))?.description ?? "" }
    }
  }

  private static let vectors: [(text: [UInt8], digest: String)] = [
    ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      Array(
        ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (
      [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  /// Spec: FIPS 180-4, the examples of NIST.
  @Test("the examples of the standard, wherever head and body part", arguments: [0, 1, 16, 63])
  func examples(headByteCount: Int) {
    let messages = Self.vectors.map { vector in
      (head: Array(vector.text.prefix(headByteCount)), body: Array(vector.text.dropFirst(headByteCount)))
    }
    #expect(Self.digests(messages) == Self.vectors.map(\.digest))
    #expect(Self.digests(messages, byLibrary: true) == Self.vectors.map(\.digest))
  }

  @Test("every length from 0 to 1000, in any company, gives what the library gives")
  func lengths() {
    var generator = SeededGenerator(seed: 5)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
    var messages = (0...1000).map { (head: bytes(Int.random(in: 0...63, using: &generator)), body: bytes($0)) }
    for round in 0..<4 {
      #expect(Self.digests(messages) == Self.digests(messages, byLibrary: true), "round \(round)")
      messages.shuffle(using: &generator)
    }
    for count in 0...5 {
      let few = Array(messages.prefix(count))
      #expect(Self.digests(few) == Self.digests(few, byLibrary: true), "\(count) messages")
    }
  }

  @Test("a batch is empty after it ran, and forgets what it is told to forget")
  func reuse() {
    var batch = SHA256Batch()
    var digests = [UInt8](repeating: 0, count: 64)
    digests.withUnsafeMutableBytes { digests in
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      batch.append(head: none, body: none, digest: digests.baseAddress!)
      batch.append(head: none, body: none, digest: digests.baseAddress! + 32)
      batch.truncate(to: 1)
      batch.run()
      #expect(batch.count == 0)
    }
    #expect(digests[0] == 0xE3)
    #expect(digests[32...].allSatisfy { $0 == 0 })
  }
}
