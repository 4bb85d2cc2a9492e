import JournalFormat
import Testing
import Transparency

@Suite("Checkpoints of a log")
struct LogCheckpointTests {
  private static let head = SampleRecords(5, seed: 1).tree.head(5)
  private static let root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  @Test("a checkpoint is read as it was written")
  func readBack() throws {
    let checkpoint = LogCheckpoint(origin: EvidenceWorld.log.verifierKey.name, head: Self.head)
    let again = try LogCheckpoint(text: checkpoint.text)
    #expect(again == checkpoint)
    #expect(String(decoding: checkpoint.text, as: UTF8.self).hasPrefix("carillon.example.com/main\n5\n"))
  }

  @Test("the empty tree's root is what others write for it")
  func empty() throws {
    let checkpoint = try LogCheckpoint(text: Array("o\n0\n\(Self.root)\n".utf8))
    #expect(checkpoint.head == .empty)
  }

  @Test("further lines are kept, and signed")
  func furtherLines() throws {
    let text = "o\n0\n\(Self.root)\nmore\n— looks like a signature\n"
    let checkpoint = try LogCheckpoint(text: Array(text.utf8))
    #expect(checkpoint.furtherLines == ["more", "— looks like a signature"])
    #expect(checkpoint.text == Array(text.utf8))
  }

  @Test(
    "what is no checkpoint says why",
    arguments: [
      ("", LogCheckpointFlaw.badOrigin), ("\n", .badOrigin), ("o", .badOrigin), ("a b\n0\nR\n", .badOrigin),
      ("a+b\n0\nR\n", .badOrigin), ("o\n", .badSize), ("o\n\nR\n", .badSize), ("o\n01\nR\n", .badSize),
      ("o\n-1\nR\n", .badSize), ("o\n+1\nR\n", .badSize), ("o\n1 \nR\n", .badSize), ("o\n0x1\nR\n", .badSize),
      ("o\n9223372036854775808\nR\n", .badSize), ("o\n99999999999999999999999\nR\n", .badSize),
      ("o\n١\nR\n", .badSize), ("o\n0\n", .badRoot), ("o\n0\nAAAA\n", .badRoot), ("o\n0\nR", .badRoot),
      ("o\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=\n", .badRoot), ("o\n0\nR\n\n", .badLine(4)),
      ("o\n0\nR\nmore\n\nmore\n", .badLine(5)), ("o\n0\nR\nmore", .badLine(4)),
    ])
  func malformed(text: String, flaw: LogCheckpointFlaw) {
    let text = text.replacing("R", with: Self.root)
    #expect(throws: flaw) { try LogCheckpoint(text: Array(text.utf8)) }
  }

  @Test("a cosignature says when, and a witness's every flipped byte is refused")
  func cosignature() throws {
    let note = try EvidenceWorld.note(Self.head, cosignedBy: [1], at: EvidenceWorld.now)
    let key = EvidenceWorld.witnesses[1].verifierKey
    #expect(try note.verify(with: [key]).map(\.unixSeconds) == [EvidenceWorld.now + 1])
    let line = Array(try #require(note.signatures.last).line.utf8)
    let before = note.bytes.dropLast(line.count)
    for (index, changed) in flips(line) {
      #expect(throws: NoteFlaw.self, "byte \(index)") { try SignedNote(before + changed).verify(with: [key]) }
    }
  }

  @Test("a log's signature is no cosignature, and the other way round")
  func kinds() throws {
    let key = EvidenceWorld.key(1)
    let cosigner = Cosigner(name: EvidenceWorld.log.verifierKey.name, key: key)
    #expect(cosigner.verifierKey.id != EvidenceWorld.log.verifierKey.id)
    let note = try EvidenceWorld.note(Self.head, cosignedBy: [])
    #expect(throws: NoteFlaw.unsigned) { try note.verify(with: [cosigner.verifierKey]) }
  }
}
