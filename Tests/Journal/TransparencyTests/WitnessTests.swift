import JournalFormat
import Testing
import Transparency

@Suite("A witness")
struct WitnessTests {
  private static let samples = SampleRecords(40, seed: 21)
  /// The same beginning as `samples` would have, and another end.
  private static let fork = SampleRecords(40, seed: 22)
  private static let cosigner = EvidenceWorld.witnesses[0]
  private static let now = EvidenceWorld.now

  private static func witness() -> Witness {
    Witness(cosigner: cosigner, logs: [EvidenceWorld.log.verifierKey])
  }

  private static func request(
    _ old: Int, _ new: Int, of samples: SampleRecords = samples, by signer: NoteSigner = EvidenceWorld.log,
    hashes: [Hash256]? = nil
  ) throws -> [UInt8] {
    let note = try EvidenceWorld.note(samples.tree.head(new), by: signer, cosignedBy: [])
    return AddCheckpointRequest(
      oldSize: UInt64(old), hashes: hashes ?? samples.tree.consistency(from: old, to: new), note: note
    ).bytes
  }

  /// A witness that has cosigned size 10.
  private static func witnessOfTen() throws -> Witness {
    var witness = witness()
    _ = try witness.received(request(0, 10), unixSeconds: now)
    return witness
  }

  @Test("cosigns what begins with what it has cosigned, and says what must be on the disk first")
  func grows() throws {
    var witness = Self.witness()
    for (old, new) in [(0, 1), (1, 10), (10, 10), (10, 40)] {
      let body = try Self.request(old, new)
      let decision = try witness.received(body, unixSeconds: Self.now)
      guard case .cosigned(let signatures) = decision.answer else {
        Issue.record("\(decision.answer)")
        return
      }
      let record = try #require(decision.record)
      #expect(decision.answer.status == 200)
      #expect(record.head == Self.samples.tree.head(new))
      #expect(witness.record(of: EvidenceWorld.log.verifierKey.name) == record)
      var note = try AddCheckpointRequest(body).note
      try note.add(try #require(signatures.first))
      #expect(try note.verify(with: [Self.cosigner.verifierKey]).map(\.unixSeconds) == [Self.now])
      #expect(record.note == note)
    }
  }

  @Test("an empty log may be witnessed first")
  func empty() throws {
    var witness = Self.witness()
    #expect(try witness.received(Self.request(0, 0), unixSeconds: Self.now).answer.status == 200)
    #expect(try witness.received(Self.request(0, 5), unixSeconds: Self.now).answer.status == 200)
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: [UInt8]
    let answer: WitnessAnswer
    let status: Int
    init(_ name: String, _ request: [UInt8], _ answer: WitnessAnswer, _ status: Int) {
      (testDescription, self.request, self.answer, self.status) = (name, request, answer, status)
    }
  }

  private static func refusals() throws -> [Refused] {
    let impostor = NoteSigner(name: EvidenceWorld.log.verifierKey.name, key: EvidenceWorld.key(3))
    let wrong = try EvidenceWorld.log.sign(
      LogCheckpoint(origin: impostor.verifierKey.name, head: samples.tree.head(12)))
    let wrongNote = try SignedNote(
      LogCheckpoint(origin: impostor.verifierKey.name, head: samples.tree.head(13)).text + [0x0A]
        + Array(wrong.signatures[0].line.utf8))
    return [
      Refused("nothing", [], .malformed(.badOldSize), 400),
      Refused("no size", Array("old\n\n".utf8), .malformed(.badOldSize), 400),
      Refused("a bad hash", Array("old 1\nAAAA\n\n".utf8), .malformed(.badHash(line: 2)), 400),
      Refused("no end of hashes", Array("old 1\n".utf8), .malformed(.badHash(line: 2)), 400),
      Refused("no note", Array("old 1\n\n".utf8), .malformed(.badNote(.noSignatures)), 400),
      Refused(
        "no checkpoint", Array("old 10\n\n".utf8) + (try EvidenceWorld.log.sign(Array("text\n".utf8)).bytes),
        .malformed(.badCheckpoint(.badSize)), 400),
      Refused("another log", try request(10, 12, by: EvidenceWorld.otherLog), .unknownLog, 404),
      Refused("another key of the same name", try request(10, 12, by: impostor), .unsigned, 403),
      Refused(
        "the log's signature of something else",
        AddCheckpointRequest(oldSize: 10, hashes: [], note: wrongNote).bytes, .unsigned, 403),
      Refused(
        "an old size above the new", try request(11, 10, hashes: []),
        .malformed(.oldSizeAbove(11, size: 10)), 400),
      Refused("from the beginning again", try request(0, 12), .conflict(knownSize: 10), 409),
      Refused("from a size that was never cosigned", try request(11, 12), .conflict(knownSize: 10), 409),
      Refused("back", try request(5, 8), .conflict(knownSize: 10), 409),
      Refused("the same size, another root", try request(10, 10, of: fork), .fork(knownSize: 10), 409),
      Refused("a fork that goes on", try request(10, 12, of: fork), .inconsistent, 422),
      Refused("no proof", try request(10, 12, hashes: []), .inconsistent, 422),
      Refused(
        "another proof", try request(10, 12, hashes: samples.tree.consistency(from: 10, to: 13)), .inconsistent, 422),
      Refused("a proof for the same size", try request(10, 10, hashes: [.zero]), .inconsistent, 422),
    ]
  }

  @Test("refuses what is not the log's own continuation, and remembers what it remembered")
  func refuses() throws {
    for refused in try Self.refusals() {
      var witness = try Self.witnessOfTen()
      let before = witness.record(of: EvidenceWorld.log.verifierKey.name)
      let decision = try witness.received(refused.request, unixSeconds: Self.now)
      #expect(decision.answer == refused.answer, "\(refused.testDescription)")
      #expect(decision.answer.status == refused.status, "\(refused.testDescription)")
      #expect(decision.record == nil)
      #expect(witness.record(of: EvidenceWorld.log.verifierKey.name) == before)
    }
  }

  @Test("a conflict names the size that it knows, in the type that logs look for")
  func conflictBody() throws {
    var witness = try Self.witnessOfTen()
    let answer = try witness.received(Self.request(0, 12), unixSeconds: Self.now).answer
    #expect(answer.contentType == "text/x.tlog.size")
    #expect(answer.body == "10\n")
    #expect(!answer.isAlarm)
    let fork = try witness.received(Self.request(10, 10, of: Self.fork), unixSeconds: Self.now).answer
    #expect(fork.contentType == "text/x.tlog.size")
    #expect(fork.isAlarm)
  }

  /// The log's own signature is for everybody to copy.
  @Test("what it remembers it can read again, whatever stands below the checkpoint", arguments: [1, 2, 63, 64])
  func repeatedSignatures(count: Int) throws {
    var witness = Self.witness()
    let note = try EvidenceWorld.note(Self.samples.tree.head(10), by: EvidenceWorld.log, cosignedBy: [])
    let line = Array(note.signatures[0].line.utf8)
    let body = Array("old 0\n\n".utf8) + note.text + [0x0A] + (0..<count).flatMap { _ in line }
    let decision = try witness.received(body, unixSeconds: Self.now)
    let record = try #require(decision.record)
    #expect(record.note.signatures.count == 2)
    let again = try WitnessRecord(record.bytes)
    #expect(again == record)
    var restarted = Self.witness()
    try restarted.restore(again)
    #expect(try restarted.received(Self.request(10, 40), unixSeconds: Self.now).answer.status == 200)
  }

  @Test("a checkpoint that leaves no room for the cosignature is refused, not remembered")
  func noRoom() throws {
    var witness = Self.witness()
    let head = Self.samples.tree.head(10)
    let origin = EvidenceWorld.log.verifierKey.name
    let base = LogCheckpoint(origin: origin, head: head).text
    let signature = try EvidenceWorld.log.sign(base).signatures[0].line.utf8.count
    let room = EvidenceLimits.noteByteCountMaximum - base.count - 1 - signature
    let text = base + [UInt8](repeating: 0x61, count: room - 1) + [0x0A]
    let body = Array("old 0\n\n".utf8) + (try EvidenceWorld.log.sign(text).bytes)
    let decision = try witness.received(body, unixSeconds: Self.now)
    #expect(decision.answer == .malformed(.badNote(.tooLarge)))
    #expect(decision.record == nil && witness.record(of: origin) == nil)
  }

  @Test("what is too large or has too many hashes is refused")
  func bounds() throws {
    var witness = Self.witness()
    let huge = [UInt8](repeating: 0x41, count: EvidenceLimits.addCheckpointByteCountMaximum + 1)
    #expect(try witness.received(huge, unixSeconds: Self.now).answer == .malformed(.tooLarge))
    let hash = Base64.encode(Hash256.zero.bytes) + "\n"
    let many = Array(("old 1\n" + String(repeating: hash, count: 64) + "\n").utf8)
    #expect(try witness.received(many, unixSeconds: Self.now).answer == .malformed(.badHash(line: 65)))
  }

  @Test("every flipped byte of a request is refused, or changes nothing but who else has signed")
  func flipped() throws {
    for (index, changed) in flips(try Self.request(10, 12)) {
      var witness = try Self.witnessOfTen()
      let answer = try witness.received(changed, unixSeconds: Self.now).answer
      #expect(answer.status != 200, "byte \(index)")
    }
  }

  @Test("after a restart it goes on from its record, and every flipped byte of that is noticed")
  func restart() throws {
    let record = try #require(try Self.witnessOfTen().record(of: EvidenceWorld.log.verifierKey.name))
    #expect(try WitnessRecord(record.bytes) == record)
    var witness = Self.witness()
    try witness.restore(WitnessRecord(record.bytes))
    #expect(try witness.received(Self.request(10, 12), unixSeconds: Self.now).answer.status == 200)
    var own = 0
    for (index, changed) in flips(record.bytes) {
      do {
        try witness.restore(WitnessRecord(changed))
        // Only the line of the log's signature is not what the witness goes by.
        own += 1
        #expect(record.bytes[..<index].contains(0xE2) || record.bytes[index] == 0xE2, "byte \(index)")
      } catch {}
    }
    #expect(own < record.note.signatures[0].line.utf8.count)
  }

  @Test("what another witness remembers, or of a log that it was not told of, is not taken")
  func foreignRecord() throws {
    let record = try #require(try Self.witnessOfTen().record(of: EvidenceWorld.log.verifierKey.name))
    var other = Witness(cosigner: EvidenceWorld.witnesses[1], logs: [EvidenceWorld.log.verifierKey])
    #expect(throws: WitnessRecordFlaw.note(.unsigned)) { try other.restore(record) }
    var stranger = Witness(cosigner: Self.cosigner, logs: [EvidenceWorld.otherLog.verifierKey])
    #expect(throws: WitnessRecordFlaw.unknownLog(record.origin)) { try stranger.restore(record) }
    #expect(throws: WitnessRecordFlaw.notARecord) { try WitnessRecord([]) }
    #expect(throws: WitnessRecordFlaw.notARecord) { try WitnessRecord(record.note.bytes) }
  }

  @Test("each log has a file of its own, whatever its name")
  func fileNames() {
    let names = ["a", "b", "../a", "a/b", String(repeating: "n", count: 255)].map {
      WitnessRecord.fileName(of: EvidenceWorld.name($0))
    }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.utf8.count == 64 + ".witnessed".utf8.count && !$0.contains("/") })
  }
}
