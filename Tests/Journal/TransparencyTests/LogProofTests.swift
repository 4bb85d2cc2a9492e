import JournalFormat
import TestSupport
import Testing
import Transparency

@Suite("Proofs of one record")
struct LogProofTests {
  private static let samples = ProofFaults.samples

  private static func proof(_ index: Int = 41, size: Int = 100) throws -> LogProof {
    try ProofFaults.proof(index, size: size)
  }

  /// What comes of reading and checking a file.
  private static func check(_ bytes: [UInt8], expecting entry: Hash256? = nil) throws(ProofRefusal) -> Endorsement {
    let policy: TrustPolicy
    do { policy = try EvidenceWorld.policy() } catch { fatalError("\(error)") }
    return try LogProof(bytes).check(policy, expecting: entry)
  }

  @Test("a proof is read as it was written, and holds", arguments: [1, 2, 3, 4, 5, 63, 64, 65, 99, 100])
  func holds(size: Int) throws {
    for index in Set([0, size / 2, size - 1]) {
      let proof = try Self.proof(index, size: size)
      #expect(try LogProof(proof.bytes) == proof)
      #expect(proof.record == Self.samples.records[index])
      let endorsement = try Self.check(proof.bytes, expecting: Self.samples.records[index].entry)
      #expect(endorsement.checkpoint.head == Self.samples.tree.head(size))
      #expect(endorsement.cosigned.map(\.witness) == ["one", "two", "three"])
    }
  }

  @Test("the tree's entry is the leaf that the journal's chain has")
  func entry() {
    let record = Self.samples.records[0]
    let expected = (record.salt + record.body).withUnsafeBytes {
      SHA256Batch.digest(head: UnsafeRawBufferPointer(start: nil, count: 0), body: $0)
    }
    #expect(record.entry == expected)
  }

  @Test("every flipped byte is refused")
  func flipped() throws {
    for (index, changed) in flips(try Self.proof().bytes) {
      #expect(throws: ProofRefusal.self, "byte \(index)") { try Self.check(changed) }
    }
  }

  @Test("what is cut off, or comes after the end, is refused")
  func cut() throws {
    let bytes = try Self.proof().bytes
    for count in bytes.indices {
      #expect(throws: ProofRefusal.self, "\(count) bytes") { try Self.check(Array(bytes.prefix(count))) }
    }
    for tail in ["\n", "x", "x\n", "\n— a AAAAAAA=\n"] {
      #expect(throws: ProofRefusal.self) { try Self.check(bytes + Array(tail.utf8)) }
    }
  }

  @Test("any lines in another order, once more, or left out are refused")
  func shuffled() throws {
    let lines = try Self.proof().bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    var random = SeededGenerator(seed: 9)
    // The order of the signatures means nothing, nor does one more of them.
    let ordered = lines.count - 5
    for _ in 0..<300 {
      var changed = lines
      let place = Int.random(in: 0..<ordered, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: changed.remove(at: place)
      case 1: changed.insert(lines[place], at: place)
      default: changed.swapAt(place, Int.random(in: 0..<ordered, using: &random))
      }
      guard changed != lines else { continue }
      #expect(throws: ProofRefusal.self) { try Self.check(Array(changed.joined(separator: [0x0A]))) }
    }
  }

  @Test("each fault has its own name")
  func faults() throws {
    for (refusal, bytes) in try ProofFaults.table() { #expect(throws: refusal) { try Self.check(bytes) } }
  }

  @Test("a proof of another journal, of the right size, does not hold")
  func otherJournal() throws {
    let other = SampleRecords(100, seed: 6)
    let note = try EvidenceWorld.note(Self.samples.tree.head(100))
    #expect(throws: ProofRefusal.notIncluded) { try Self.check(other.proof(41, in: note, size: 100).bytes) }
    let foreign = other.proof(
      41, in: try EvidenceWorld.note(other.tree.head(100), by: EvidenceWorld.otherLog), size: 100)
    #expect(throws: ProofRefusal.checkpoint(.unknownLog(EvidenceWorld.otherLog.verifierKey.name))) {
      try Self.check(foreign.bytes)
    }
  }

  @Test("a record that is not the one asked for is told apart")
  func otherRecord() throws {
    #expect(throws: ProofRefusal.otherRecord) {
      try Self.check(Self.proof().bytes, expecting: Self.samples.records[0].entry)
    }
  }

  @Test("a tree's node cannot be shown as a record, nor a leaf's entry")
  func nodeAsRecord() throws {
    let note = try EvidenceWorld.note(Self.samples.tree.head(2))
    let leaves = Self.samples.records.prefix(2).map { MerkleTree.leaf($0.entry).bytes }.joined()
    let forged = try #require(
      DisclosedRecord(salt: Array(Array(leaves).prefix(16)), body: Array(Array(leaves).dropFirst(16))))
    #expect(throws: ProofRefusal.wrongHashCount(0)) {
      try Self.check(LogProof(record: forged, index: 0, hashes: [], note: note).bytes)
    }
  }

  @Test("the largest record fits, a gigabyte is refused by its size alone")
  func bounds() throws {
    let largest = EvidenceLimits.recordByteCountMaximum
    let record = try #require(
      DisclosedRecord(salt: [UInt8](repeating: 1, count: 16), body: [UInt8](repeating: 2, count: largest)))
    let tree = LevelTree(entries: [record.entry])
    let proof = LogProof(record: record, index: 0, hashes: [], note: try EvidenceWorld.note(tree.head(1)))
    #expect(proof.bytes.count <= EvidenceLimits.proofByteCountMaximum)
    #expect(try Self.check(proof.bytes).checkpoint.head.size == 1)
    #expect(EvidenceLimits.proofByteCountMaximum < 2 * 1024 * 1024)
    let huge = [UInt8](repeating: 0x41, count: EvidenceLimits.proofByteCountMaximum + 1)
    #expect(throws: ProofRefusal.tooLarge) { try LogProof(huge) }
    #expect(
      DisclosedRecord(salt: [UInt8](repeating: 1, count: 16), body: [UInt8](repeating: 2, count: largest + 1)) == nil)
    #expect(DisclosedRecord(salt: [UInt8](repeating: 1, count: 15), body: [1]) == nil)
    #expect(DisclosedRecord(salt: [UInt8](repeating: 1, count: 16), body: []) == nil)
  }
}
