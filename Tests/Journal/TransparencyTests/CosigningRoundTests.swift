import JournalFormat
import Testing
import Transparency

@Suite("A checkpoint on its way to a witness")
struct CosigningRoundTests {
  private static let samples = SampleRecords(40, seed: 31)
  private static let fork = SampleRecords(40, seed: 32)
  private static let key = EvidenceWorld.witnesses[0].verifierKey
  private static let now = EvidenceWorld.now
  private static let size: CosigningRound.Outcome = .answered(status: 409, contentType: "text/x.tlog.size", body: [])

  private static func round(_ size: Int = 20, of samples: SampleRecords = samples, knownSize: UInt64 = 0) throws
    -> CosigningRound
  {
    let checkpoint = LogCheckpoint(origin: EvidenceWorld.log.verifierKey.name, head: samples.tree.head(size))
    return CosigningRound(
      try EvidenceWorld.log.sign(checkpoint), checkpoint, witness: key, knownSize: knownSize)
  }

  private static func conflict(_ body: String, _ type: String = "text/x.tlog.size") -> CosigningRound.Outcome {
    .answered(status: 409, contentType: type, body: Array(body.utf8))
  }

  /// Asks a witness until the round has ended, and says how often.
  private static func run(
    _ round: CosigningRound, of samples: SampleRecords = samples, _ witness: inout Witness, at time: UInt64 = now
  ) throws -> (last: CosigningRound.Step, asked: [UInt64]) {
    var (round, step, asked) = (round, round.first, [UInt64]())
    while case .ask(let oldSize) = step {
      asked.append(oldSize)
      let size = Int(try LogCheckpoint(text: round.request([]).note.text).head.size)
      let request = round.request(samples.tree.consistency(from: Int(oldSize), to: size))
      let answer = try witness.received(request.bytes, unixSeconds: time).answer
      step = round.received(
        .answered(status: answer.status, contentType: answer.contentType, body: Array(answer.body.utf8)),
        unixSeconds: now)
    }
    return (step, asked)
  }

  private static func witness() -> Witness {
    Witness(cosigner: EvidenceWorld.witnesses[0], logs: [EvidenceWorld.log.verifierKey])
  }

  @Test("with a real witness: at once, after a conflict, again, from what is known")
  func together() throws {
    var witness = Self.witness()
    let first = try Self.run(Self.round(10), &witness)
    guard case .cosigned(let signature, Self.now) = first.last else {
      Issue.record("\(first.last)")
      return
    }
    var note = try Self.round(10).request([]).note
    try note.add(signature)
    #expect(try note.verify(with: [Self.key]).count == 1)
    #expect(first.asked == [0])
    #expect(try Self.run(Self.round(20), &witness).asked == [0, 10])
    #expect(try Self.run(Self.round(20), &witness).asked == [0, 20])
    #expect(try Self.run(Self.round(30, knownSize: 20), &witness).asked == [20])
    // Our own knowledge is newer than this checkpoint: the witness says so.
    let behind = try Self.run(Self.round(20, knownSize: 30), &witness)
    #expect(behind.last == .failed(.witnessIsAhead(size: 30)))
  }

  @Test("with a real witness: a fork of the same size, one that goes on, another clock")
  func refused() throws {
    var witness = Self.witness()
    _ = try Self.run(Self.round(10), &witness)
    #expect(
      try Self.run(Self.round(10, of: Self.fork), of: Self.fork, &witness).last == .failed(.fork(size: 10)))
    #expect(try Self.run(Self.round(20, of: Self.fork), of: Self.fork, &witness).last == .failed(.inconsistent))
    let limit = EvidenceLimits.witnessClockDifferenceSecondsMaximum
    #expect(
      try Self.run(Self.round(20), &witness, at: Self.now + limit + 1).last
        == .failed(.wrongTime(secondsAhead: Int64(limit) + 1)))
    #expect(
      try Self.run(Self.round(20), &witness, at: Self.now - limit - 1).last
        == .failed(.wrongTime(secondsAhead: -Int64(limit) - 1)))
    guard case .cosigned = try Self.run(Self.round(20), &witness, at: Self.now + limit).last else {
      Issue.record("the limit itself is allowed")
      return
    }
  }

  private static let failures: [(CosigningRound.Outcome, CosigningFailure)] = [
    (.late, .late), (.unreachable, .unreachable), (.answered(status: 400, contentType: "", body: []), .malformed),
    (.answered(status: 403, contentType: "", body: []), .keyUnknown),
    (.answered(status: 404, contentType: "", body: []), .logUnknown),
    (.answered(status: 422, contentType: "", body: []), .inconsistent),
    (.answered(status: 500, contentType: "", body: []), .unexpected(status: 500)),
    (.answered(status: 302, contentType: "", body: []), .unexpected(status: 302)),
    (.answered(status: 0, contentType: "", body: []), .unexpected(status: 0)),
    (.answered(status: 200, contentType: "", body: []), .badAnswer),
    (.answered(status: 200, contentType: "", body: [0xFF]), .badAnswer),
    (.answered(status: 200, contentType: "", body: Array("— w AAAAAAA=".utf8)), .badAnswer),
    (.answered(status: 200, contentType: "", body: Array("— w AAAAAAA=\n".utf8)), .foreignKey),
    (.answered(status: 200, contentType: "", body: [UInt8](repeating: 65, count: 65_537)), .answerTooLarge),
    (conflict(""), .badConflict), (conflict("\n"), .badConflict), (conflict("5"), .badConflict),
    (conflict("05\n"), .badConflict), (conflict("-1\n"), .badConflict), (conflict("5\n\n"), .badConflict),
    (conflict("5\n", "text/plain"), .badConflict), (conflict("5\n", ""), .badConflict),
    (conflict("99999999999999999999\n"), .badConflict), (conflict("21\n"), .witnessIsAhead(size: 21)),
    // It was asked from 0 and answers that it knows 0.
    (conflict("0\n"), .badConflict),
  ]

  @Test("what cannot be used has its own reason", arguments: failures.indices)
  func failure(_ index: Int) throws {
    let (outcome, failure) = Self.failures[index]
    var round = try Self.round()
    #expect(round.first == .ask(oldSize: 0))
    #expect(round.received(outcome, unixSeconds: Self.now) == .failed(failure))
    #expect(!"\(failure)".isEmpty)
  }

  @Test("a conflict is asked again from its size, with parameters of the type too, and not for ever")
  func conflicts() throws {
    var round = try Self.round()
    #expect(
      round.received(Self.conflict("5\n", "Text/X.tlog.size; charset=utf-8"), unixSeconds: Self.now) == .ask(oldSize: 5)
    )
    #expect(round.request([]).oldSize == 5)
    #expect(round.received(Self.conflict("7\n"), unixSeconds: Self.now) == .ask(oldSize: 7))
    #expect(round.received(Self.conflict("9\n"), unixSeconds: Self.now) == .failed(.tooManyConflicts))
    var same = try Self.round(20, knownSize: 20)
    #expect(same.received(Self.conflict("20\n"), unixSeconds: Self.now) == .failed(.fork(size: 20)))
  }

  @Test("a cosignature of another key, of other bytes, and one among those of others")
  func cosignatures() throws {
    let text = try Self.round().request([]).note.text
    let own = try EvidenceWorld.witnesses[0].cosignature(of: text, unixSeconds: Self.now)
    let foreign = try EvidenceWorld.witnesses[1].cosignature(of: text, unixSeconds: Self.now)
    let wrong = try EvidenceWorld.witnesses[0].cosignature(of: Array("else\n".utf8), unixSeconds: Self.now)
    func step(_ signatures: [NoteSignature]) throws -> CosigningRound.Step {
      var round = try Self.round()
      return round.received(
        .answered(status: 200, contentType: "", body: Array(signatures.map(\.line).joined().utf8)),
        unixSeconds: Self.now)
    }
    #expect(try step([foreign]) == .failed(.foreignKey))
    #expect(try step([wrong]) == .failed(.wrongSignature))
    #expect(try step([wrong, own]) == .failed(.wrongSignature))
    #expect(try step([foreign, own]) == .cosigned(own, unixSeconds: Self.now))
    for (index, changed) in flips(Array(own.line.utf8)) {
      var round = try Self.round()
      guard
        case .failed = round.received(.answered(status: 200, contentType: "", body: changed), unixSeconds: Self.now)
      else {
        Issue.record("byte \(index)")
        return
      }
    }
  }
}
