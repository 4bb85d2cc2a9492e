import JournalFormat
import Testing
import Transparency

@Suite("Signed notes")
struct SignedNoteTests {
  /// The example in the documentation of Go's `golang.org/x/mod/sumdb/note`.
  private static let goKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
  private static let goText =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  private static let goNote =
    goText
    + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"

  private static let text = Array("carillon\n\nhas paragraphs, ümlauts\n".utf8)
  private static let log = EvidenceWorld.log

  private func note(_ text: String) throws(NoteFlaw) -> SignedNote { try SignedNote(Array(text.utf8)) }

  @Test("Go's example is read, verified, and written again")
  func goExample() throws {
    let note = try note(Self.goNote)
    let key = try VerifierKey(text: Self.goKey)
    #expect(key.text == Self.goKey)
    #expect(key.id == 0xC74F_20A3)
    #expect(note.text == Array(Self.goText.utf8))
    #expect(try note.verify(with: [key]).map(\.key) == [key])
    #expect(note.bytes == Array(Self.goNote.utf8))
  }

  @Test("the key of Go's example signs what Go signs")
  func goSigner() throws {
    // Behind the kind, the 32 bytes of PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz.
    let seed = try #require(Base64.decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")).dropFirst()
    let signer = NoteSigner(name: EvidenceWorld.name("PeterNeumann"), key: try AuditKey(seed: Array(seed)))
    #expect(signer.verifierKey.text == Self.goKey)
    let signed = try signer.sign(Array(Self.goText.utf8))
    #expect(try signed.verify(with: [VerifierKey(text: Self.goKey)]).count == 1)
    #if os(Linux)
      #expect(signed.bytes == Array(Self.goNote.utf8))
    #endif
  }

  @Test("every flipped byte is refused")
  func flipped() throws {
    let bytes = try Self.log.sign(Self.text).bytes
    for (index, changed) in flips(bytes) {
      #expect(throws: NoteFlaw.self, "byte \(index)") {
        try SignedNote(changed).verify(with: [Self.log.verifierKey])
      }
    }
  }

  @Test("what is cut off is refused")
  func cut() throws {
    let bytes = try Self.log.sign(Self.text).bytes
    for count in bytes.indices {
      #expect(throws: NoteFlaw.self, "\(count) bytes") { try SignedNote(Array(bytes.prefix(count))) }
    }
  }

  @Test(
    "what is no note says why",
    arguments: [
      ("", NoteFlaw.noSignatures), ("\n", .noSignatures), ("\n\n", .noSignatures), ("text\n", .noSignatures),
      ("text\n\n", .noSignatures), ("text\r\n\n— a AAAAAAA=\n", .controlCharacter(line: 1)),
      ("a\nb\u{0}\n\n— a AAAAAAA=\n", .controlCharacter(line: 2)),
      ("text\n\n— a\u{1B} AAAAAAA=\n", .controlCharacter(line: 3)),
      ("text\n\n- a AAAAAAA=\n", .badSignatureLine(line: 3)), ("text\n\n—a AAAAAAA=\n", .badSignatureLine(line: 3)),
      ("text\n\n—  AAAAAAA=\n", .badSignatureLine(line: 3)), ("text\n\n— a+b AAAAAAA=\n", .badSignatureLine(line: 3)),
      ("text\n\n— a\u{A0}b AAAAAAA=\n", .badSignatureLine(line: 3)),
      ("text\n\n— a\n", .badSignatureLine(line: 3)), ("text\n\n— a \n", .badSignatureLine(line: 3)),
      // Four bytes are an id and no signature.
      ("text\n\n— a AAAAAA==\n", .badSignatureLine(line: 3)),
      // Base64 that means the same and is written otherwise.
      ("text\n\n— a AAAAAAB=\n", .badSignatureLine(line: 3)), ("text\n\n— a AAAAAAA\n", .badSignatureLine(line: 3)),
      ("text\n\n— a AAAAAAA= \n", .badSignatureLine(line: 3)),
      ("text\n\n— a AAAAAAA=\n— b AAAAAAA=", .badSignatureLine(line: 4)),
      ("text\n\n— a AAAAAAA=\nmore\n", .badSignatureLine(line: 4)),
      ("text\n\n— \(String(repeating: "n", count: 256)) AAAAAAA=\n", .badSignatureLine(line: 3)),
    ])
  func malformed(text: String, flaw: NoteFlaw) {
    #expect(throws: flaw) { try note(text) }
  }

  @Test("bytes that are not UTF-8, and too many, are refused")
  func bytes() throws {
    #expect(throws: NoteFlaw.notUTF8) { try SignedNote([0xFF, 0xFE, 0x0A, 0x0A]) }
    #expect(throws: NoteFlaw.notUTF8) { try SignedNote([0xC0, 0x80, 0x0A, 0x0A]) }
    let huge = [UInt8](repeating: UInt8(ascii: "x"), count: EvidenceLimits.noteByteCountMaximum)
    #expect(throws: NoteFlaw.tooLarge) { try SignedNote(huge + Array("\n\n— a AAAAAAA=\n".utf8)) }
    #expect(throws: NoteFlaw.tooLarge) { try Self.log.sign(huge + [0x0A]) }
    #expect(throws: NoteFlaw.textUnended) { try Self.log.sign([]) }
    #expect(throws: NoteFlaw.textUnended) { try Self.log.sign(Array("text".utf8)) }
    #expect(throws: NoteFlaw.controlCharacter(line: 1)) { try Self.log.sign(Array("a\tb\n".utf8)) }
  }

  @Test("the largest name and the most signatures that are allowed are read, one more is not")
  func bounds() throws {
    let longest = String(repeating: "n", count: 255)
    #expect(try note("text\n\n— \(longest) AAAAAAA=\n").signatures[0].name.description == longest)
    let lines = (0..<64).map { "— key\($0) AAAAAAA=\n" }
    #expect(try note("text\n\n" + lines.joined()).signatures.count == 64)
    #expect(throws: NoteFlaw.tooManySignatures) { try note("text\n\n" + lines.joined() + lines[0]) }
    var full = try note("text\n\n" + lines.joined())
    #expect(throws: NoteFlaw.tooManySignatures) { try full.add(Self.log.signature(of: full.text)) }
    #expect(full.signatures.count == 64)
  }

  @Test("unknown keys are passed over, even if they share a name or an id with a known one")
  func unknownKeys() throws {
    var signed = try Self.log.sign(Self.text)
    let sameName = NoteSigner(name: Self.log.verifierKey.name, key: EvidenceWorld.key(9))
    try signed.add(sameName.signature(of: Array("something else\n".utf8)))
    try signed.add(EvidenceWorld.otherLog.signature(of: Array("something else\n".utf8)))
    #expect(signed.signatures.count == 3)
    #expect(try signed.verify(with: [Self.log.verifierKey]).count == 1)
    #expect(throws: NoteFlaw.wrongSignature(by: Self.log.verifierKey.name)) {
      try signed.verify(with: [Self.log.verifierKey, sameName.verifierKey])
    }
    #expect(throws: NoteFlaw.unsigned) { try signed.verify(with: []) }
    #expect(throws: NoteFlaw.unsigned) { try signed.verify(with: [EvidenceWorld.witnesses[0].verifierKey]) }
  }

  @Test("a known key that signed well and, on another line, wrongly refuses the note")
  func wrongBesideRight() throws {
    let bytes = try Self.log.sign(Self.text).bytes
    let wrong = try Self.log.signature(of: Array("something else\n".utf8)).line
    let both = try SignedNote(bytes + Array(wrong.utf8))
    #expect(throws: NoteFlaw.wrongSignature(by: Self.log.verifierKey.name)) {
      try both.verify(with: [Self.log.verifierKey])
    }
  }

  @Test("the same signature twice counts once; one that is added takes the older one's place")
  func twice() throws {
    var signed = try Self.log.sign(Self.text)
    let line = Array(try Self.log.signature(of: Self.text).line.utf8)
    #expect(try SignedNote(signed.bytes + line).verify(with: [Self.log.verifierKey]).count == 1)
    let before = signed
    try signed.add(Self.log.signature(of: Self.text))
    #expect(signed.signatures.count == 1)
    #expect(signed.text == before.text)
  }
}

@Suite("Verifier keys")
struct VerifierKeyTests {
  private static let good = EvidenceWorld.log.verifierKey.text

  @Test("a key is read as it was written, of both kinds")
  func readBack() throws {
    for key in [EvidenceWorld.log.verifierKey, EvidenceWorld.witnesses[0].verifierKey] {
      #expect(try VerifierKey(text: key.text) == key)
    }
    #expect(EvidenceWorld.witnesses[0].verifierKey.kind == .cosignature)
  }

  @Test("every flipped byte is refused")
  func flipped() {
    for (index, changed) in flips(Array(Self.good.utf8)) {
      #expect(throws: VerifierKeyFlaw.self, "byte \(index)") {
        try VerifierKey(text: String(decoding: changed, as: UTF8.self))
      }
    }
  }

  @Test(
    "what is no key says why",
    arguments: [
      ("", VerifierKeyFlaw.notAVerifierKey), ("name", .notAVerifierKey), ("name+00000000", .notAVerifierKey),
      ("name+00000000+", .notAVerifierKey), ("name+00000000+!", .notAVerifierKey), ("+00000000+AAAA", .badName),
      ("a b+00000000+AAAA", .badName), ("a\n+00000000+AAAA", .badName), ("name+00000000+AQAA", .wrongID),
      (EvidenceWorld.log.verifierKey.text.uppercased(), .notAVerifierKey),
    ])
  func malformed(text: String, flaw: VerifierKeyFlaw) {
    #expect(throws: VerifierKeyFlaw.self) { try VerifierKey(text: text) }
    if text != Self.good.uppercased() { #expect(throws: flaw) { try VerifierKey(text: text) } }
  }

  @Test("kinds that are not known and keys that are none are told apart")
  func kinds() throws {
    #expect(throws: VerifierKeyFlaw.unknownKind(6)) {
      try VerifierKey(text: Self.vkey("w", [6] + [UInt8](repeating: 1, count: 1_312)))
    }
    #expect(throws: VerifierKeyFlaw.unknownKind(0)) { try VerifierKey(text: Self.vkey("w", [0])) }
    #expect(throws: VerifierKeyFlaw.badKey) { try VerifierKey(text: Self.vkey("w", [1])) }
    #expect(throws: VerifierKeyFlaw.badKey) {
      try VerifierKey(text: Self.vkey("w", [4] + [UInt8](repeating: 1, count: 33)))
    }
  }

  /// Second texts of points that have one: y = p, p + 1; x = 0 with a sign, y = 1, p - 1.
  static let doubledKeys: [[UInt8]] = [
    [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    [1] + [UInt8](repeating: 0, count: 30) + [0x80], [0xEC] + [UInt8](repeating: 0xFF, count: 31),
  ]

  @Test("a key that is the second text of its point is none")
  func secondTexts() {
    for key in Self.doubledKeys {
      #expect(throws: VerifierKeyFlaw.badKey) { try VerifierKey(text: Self.vkey("w", [1] + key)) }
      #expect(throws: VerifierKeyFlaw.badKey) { try VerifierKey(text: Self.vkey("w", [4] + key)) }
    }
    #expect(throws: Never.self) {
      let key: [UInt8] = [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
      return try VerifierKey(text: Self.vkey("w", [1] + key))
    }
  }

  /// Any bytes with the id that belongs to them.
  static func vkey(_ name: String, _ encoded: [UInt8]) -> String {
    let message = Array(name.utf8) + [0x0A] + encoded
    let hash = message.withUnsafeBytes {
      SHA256Batch.digest(head: UnsafeRawBufferPointer(start: nil, count: 0), body: $0)
    }
    return "\(name)+\(hash.description.prefix(8))+\(Base64.encode(encoded))"
  }

  @Test("names that only look the same are not", arguments: [("é", "e\u{301}"), ("Å", "\u{212B}")])
  func names(one: String, other: String) throws {
    #expect(one == other)
    #expect(EvidenceWorld.name(one) != EvidenceWorld.name(other))
  }

  @Test(
    "names that are none",
    arguments: ["", " ", "a b", "a+b", "a\nb", "a\tb", "a\u{7F}", "a\u{85}b", "a\u{2028}b", "a\u{3000}", "\u{0}"])
  func badNames(text: String) { #expect(KeyName(text) == nil) }
}
