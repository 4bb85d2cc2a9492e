import JournalFormat
import Testing
import Transparency

@Suite("Trust policies")
struct TrustPolicyTests {
  private static let log = "log \(EvidenceWorld.log.verifierKey.text)"
  private static let otherLog = "log \(EvidenceWorld.otherLog.verifierKey.text)"
  private static func witness(_ name: String, _ index: Int) -> String { "witness \(name) \(EvidenceWorld.vkey(index))" }
  private static let three = [log, witness("a", 0), witness("b", 1), witness("c", 2)]
  private static let head = SampleRecords(7, seed: 3).tree.head(7)

  private static func policy(_ lines: [String]) throws -> TrustPolicy {
    try EvidenceWorld.policy(lines.map { $0 + "\n" }.joined())
  }

  @Test("logs, witnesses and their addresses are read; comments, blanks and tabs do not matter")
  func reads() throws {
    let policy = try EvidenceWorld.policy(
      "# comment \u{FC}\n\n \t\n\tlog\t\(EvidenceWorld.log.verifierKey.text)  https://l \n  # more\n"
        + "\(Self.witness("w\u{FC}", 0)) https://w/\nquorum w\u{FC}")
    #expect(policy.logs.map(\.key) == [EvidenceWorld.log.verifierKey])
    #expect(policy.logs.map(\.url) == ["https://l"])
    #expect(policy.witnesses.map(\.name) == ["w\u{FC}"])
    #expect(policy.witnesses.map(\.url) == ["https://w/"])
    #expect(policy.quorumName == "w\u{FC}")
  }

  @Test("a key whose name is not UTF-8 is none, whatever its id was computed of")
  func nameIsNoText() throws {
    let key = VerifierKeyTests.vkey("\u{FFFD}", [1] + EvidenceWorld.log.verifierKey.key.raw)
    let bytes = Array("log ".utf8) + [0xFF] + Array(key.utf8.dropFirst(3)) + Array("\nquorum none\n".utf8)
    #expect(throws: PolicyFlaw(line: 1, problem: .key(.notAVerifierKey))) { try TrustPolicy(text: bytes) }
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let lines: [String]
    let line: Int?
    let problem: PolicyFlaw.Problem
    var testDescription: String { "\(problem)" }
    init(_ lines: [String], _ line: Int?, _ problem: PolicyFlaw.Problem) {
      (self.lines, self.line, self.problem) = (lines, line, problem)
    }
  }

  static let wrong: [Wrong] = listed + doubled + [tooMany]

  private static let doubled: [Wrong] = VerifierKeyTests.doubledKeys.map { key in
    let line = "log " + VerifierKeyTests.vkey("l", [1] + key)
    return Wrong([line, "quorum none"], 1, .key(.badKey))
  }

  private static let tooMany: Wrong = {
    let lines = (0...EvidenceLimits.policyEntryCountMaximum).map { number in
      var key = [UInt8](repeating: 7, count: 32)
      key[0] = UInt8(number % 256)
      key[1] = UInt8(number / 256)
      return "log " + VerifierKeyTests.vkey("l", [1] + key)
    }
    return Wrong(lines, EvidenceLimits.policyEntryCountMaximum + 1, .tooMany)
  }()

  private static let listed: [Wrong] = [
    Wrong([], nil, .noLog), Wrong(["quorum none"], nil, .noLog), Wrong([log], nil, .noQuorum),
    Wrong(["logs x"], 1, .unknownWord("logs")), Wrong(["LOG x"], 1, .unknownWord("LOG")),
    Wrong(["log"], 1, .form("log <key> [url]")), Wrong(["\(log) u v"], 1, .form("log <key> [url]")),
    Wrong(["log name+1+x"], 1, .key(.notAVerifierKey)),
    Wrong([log.replacing("carillon", with: "carillox")], 1, .key(.wrongID)),
    Wrong(["log \(EvidenceWorld.vkey(0))"], 1, .wrongKind),
    Wrong([log, "witness w \(EvidenceWorld.log.verifierKey.text)"], 2, .wrongKind),
    Wrong([log, otherLog, log], 3, .keyTwice(line: 1)),
    Wrong([log, witness("a", 0), witness("b", 0)], 3, .keyTwice(line: 2)),
    Wrong([log, witness("a", 0), witness("a", 1)], 3, .nameTwice("a", line: 2)),
    Wrong([log, witness("a", 0), "group a all a"], 3, .nameTwice("a", line: 2)),
    Wrong([log, witness("none", 0)], 2, .badName("none")),
    Wrong([log, "witness w"], 2, .form("witness <name> <key> [url]")),
    Wrong([log, "group g all"], 2, .form("group <name> <n|all|any> <members…>")),
    Wrong(three + ["group g 0 a b c"], 5, .threshold("0", members: 3)),
    Wrong(three + ["group g 4 a b c"], 5, .threshold("4", members: 3)),
    Wrong(three + ["group g -1 a b c"], 5, .threshold("-1", members: 3)),
    Wrong(three + ["group g 02 a b c"], 5, .threshold("02", members: 3)),
    Wrong(three + ["group g most a b c"], 5, .threshold("most", members: 3)),
    Wrong(three + ["group g 99999999999999999999 a"], 5, .threshold("99999999999999999999", members: 1)),
    Wrong(three + ["group g all a x"], 5, .unknownName("x")),
    Wrong(three + ["group g all a none"], 5, .unknownName("none")),
    Wrong(three + ["group g all a g"], 5, .nameComesLater("g", line: 5)),
    Wrong(three + ["group g all h", "group h all g"], 5, .nameComesLater("h", line: 6)),
    Wrong(three + ["group g any a a"], 5, .memberTwice("a", line: 5)),
    Wrong(three + ["group g any a b", "group h any b c"], 6, .memberTwice("b", line: 5)),
    Wrong(three + ["quorum"], 5, .form("quorum <name|none>")),
    Wrong(three + ["quorum a b"], 5, .form("quorum <name|none>")),
    Wrong(three + ["quorum x"], 5, .unknownName("x")),
    Wrong(three + ["quorum g", "group g all a"], 5, .nameComesLater("g", line: 6)),
    Wrong(three + ["quorum a", "quorum none"], 6, .quorumTwice(line: 5)),
    Wrong(three + ["quorum a\r"], 5, .controlCharacter(13)), Wrong([log, "# \u{0}"], 2, .controlCharacter(0)),
    Wrong([log, "# \u{7F}"], 2, .controlCharacter(127)),
  ]

  @Test("each fault is said with its line", arguments: wrong)
  func faults(_ wrong: Wrong) {
    #expect(throws: PolicyFlaw(line: wrong.line, problem: wrong.problem)) { try Self.policy(wrong.lines) }
  }

  @Test("too large a file and too many groups are refused")
  func bounds() throws {
    let large = [UInt8](repeating: UInt8(ascii: "#"), count: EvidenceLimits.policyByteCountMaximum + 1)
    #expect(throws: PolicyFlaw(line: nil, problem: .tooLarge)) { try TrustPolicy(text: large) }
    func tower(_ height: Int) -> [String] {
      [Self.log, Self.witness("g0", 0)] + (1...height).map { "group g\($0) all g\($0 - 1)" } + ["quorum g\(height)"]
    }
    let tallest = try Self.policy(tower(256))
    #expect(try tallest.judge(EvidenceWorld.note(Self.head, cosignedBy: [0])).cosigned.count == 1)
    #expect(throws: PolicyFlaw(line: 259, problem: .tooMany)) { try Self.policy(tower(257)) }
  }

  /// For each set of witnesses, whether they are enough.
  private static let quorums: [([String], [[Int]: Bool])] = [
    (["quorum none"], [[]: true, [0]: true]),
    (["quorum b"], [[]: false, [0, 2]: false, [1]: true]),
    (["group g any a b c", "quorum g"], [[]: false, [2]: true]),
    (["group g 2 a b c", "quorum g"], [[1]: false, [0, 2]: true, [0, 1, 2]: true]),
    (["group g all a b c", "quorum g"], [[0, 1]: false, [0, 1, 2]: true]),
    (["group g any a b", "group h all g c", "quorum h"], [[0, 1]: false, [2]: false, [1, 2]: true]),
  ]

  @Test("quorums", arguments: quorums.indices)
  func quorum(_ index: Int) throws {
    let (lines, cases) = Self.quorums[index]
    let policy = try Self.policy(Self.three + lines)
    for (indices, isEnough) in cases {
      let note = try EvidenceWorld.note(Self.head, cosignedBy: indices)
      if isEnough {
        let endorsement = try policy.judge(note)
        #expect(endorsement.log == EvidenceWorld.log.verifierKey)
        #expect(endorsement.checkpoint.head == Self.head)
        #expect(endorsement.cosigned.map(\.witness) == indices.map { ["a", "b", "c"][$0] })
        #expect(endorsement.earliestUnixSeconds == indices.first.map { EvidenceWorld.now + UInt64($0) })
        #expect(endorsement.latestUnixSeconds == indices.last.map { EvidenceWorld.now + UInt64($0) })
      } else {
        #expect(
          throws: EndorsementRefusal.quorumMissing(
            policy.quorumName, cosigned: indices.map { ["a", "b", "c"][$0] })
        ) { try policy.judge(note) }
      }
    }
  }

  @Test("a log that is not named, one that did not sign, and one that signed for another")
  func logs() throws {
    let policy = try Self.policy([Self.log, "quorum none"])
    let foreign = try EvidenceWorld.note(Self.head, by: EvidenceWorld.otherLog)
    #expect(throws: EndorsementRefusal.unknownLog(EvidenceWorld.otherLog.verifierKey.name)) {
      try policy.judge(foreign)
    }
    // Another key of the same name.
    let impostor = NoteSigner(name: EvidenceWorld.log.verifierKey.name, key: EvidenceWorld.key(3))
    #expect(throws: EndorsementRefusal.unsigned(EvidenceWorld.log.verifierKey.name)) {
      try policy.judge(EvidenceWorld.note(Self.head, by: impostor))
    }
    // A log that the policy names signs a checkpoint of another that it names too.
    let both = try Self.policy([Self.log, Self.otherLog, "quorum none"])
    let checkpoint = LogCheckpoint(origin: EvidenceWorld.log.verifierKey.name, head: Self.head)
    #expect(throws: EndorsementRefusal.unsigned(EvidenceWorld.log.verifierKey.name)) {
      try both.judge(EvidenceWorld.otherLog.sign(checkpoint.text))
    }
    #expect(throws: EndorsementRefusal.checkpoint(.badOrigin)) {
      try policy.judge(EvidenceWorld.log.sign(Array("a+b\n0\n\n".utf8)))
    }
  }

  @Test("the witnesses' cosignatures do not make up for the log's signature")
  func witnessesAlone() throws {
    let policy = try EvidenceWorld.policy()
    let note = try EvidenceWorld.note(Self.head)
    let own = Array(note.signatures[0].line.utf8)
    var bytes = note.bytes
    bytes.removeSubrange(note.text.count + 1..<(note.text.count + 1 + own.count))
    #expect(throws: EndorsementRefusal.unsigned(EvidenceWorld.log.verifierKey.name)) {
      try policy.judge(SignedNote(bytes))
    }
  }

  @Test("a wrong cosignature refuses the checkpoint, even if the quorum did not need it")
  func wrongCosignature() throws {
    let policy = try Self.policy(Self.three + ["quorum a"])
    var note = try EvidenceWorld.note(Self.head, cosignedBy: [0])
    try note.add(EvidenceWorld.witnesses[1].cosignature(of: Array("else\n".utf8), unixSeconds: EvidenceWorld.now))
    #expect(throws: EndorsementRefusal.note(.wrongSignature(by: EvidenceWorld.witnesses[1].verifierKey.name))) {
      try policy.judge(note)
    }
  }
}
