import Foundation
import ProcessControl
import StandInSupport
import Testing
import Transparency

/// `Tests/Journal/Evidence/judge`, built from Go's packages as Debian has them.
private enum GoJudge {
  /// `golang-golang-x-mod-dev` puts its sources here.
  static let path = "/usr/share/gocode"
  static let source = root.appending(path: "Tests/Journal/Evidence/judge/main.go").path

  static let go: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
    guard FileManager.default.fileExists(atPath: path + "/src/golang.org/x/mod/sumdb/tlog") else { return nil }
    return folders.map { "\($0)/go" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Set where a machine without Go is a mistake: `make slow`, and with it the build server.
  static var isRequired: Bool { ProcessInfo.processInfo.environment["CARILLON_GO_REQUIRED"]?.isEmpty == false }

  static func build(into directory: URL) throws -> String {
    let go = try #require(go, "golang-go and golang-golang-x-mod-dev are to be installed: make evidence-environment")
    let program = directory.appending(path: "judge").path
    let own = [
      "GO111MODULE": "off", "GOPATH": path, "GOFLAGS": "", "GOCACHE": directory.appending(path: "go-cache").path,
    ]
    let outcome = try ChildProcess.run(
      go, ["build", "-o", program, source],
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 })
    try #require(outcome.status == 0, "\(String(decoding: outcome.errors, as: UTF8.self))")
    return program
  }
}

/// `Journal/Evidence/check-proof.py`, run by whatever Python there is.
private enum PythonScript {
  static let path = root.appending(path: "Journal/Evidence/check-proof.py").path

  static func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
    let (program, first) = StandIn.python.map { ($0, []) } ?? ("/usr/bin/env", ["python3"])
    let outcome = try ChildProcess.run(program, first + [path] + arguments)
    return (
      outcome.status, String(decoding: outcome.output, as: UTF8.self), String(decoding: outcome.errors, as: UTF8.self)
    )
  }
}

private let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

@Suite("Evidence, judged by Go's packages", .enabled(if: GoJudge.go != nil || GoJudge.isRequired))
struct EvidenceJudgeTests {
  @Test("ten thousand proofs of trees up to 100,000 hold there, tiles agree, and every flipped byte is refused")
  func agrees() throws {
    let evidence = try EvidenceDirectory(recordCount: 100_000, sizeCount: 490, seed: 41)
    defer { evidence.remove() }
    let notes = try evidence.writeCheckpoints()
    try evidence.writeProofs(10_000, in: notes, seed: 42)
    try evidence.writeConsistency(1_000, seed: 43)
    try evidence.writeTiles()
    let size = evidence.sizes[evidence.sizes.count / 2]
    let note = try #require(notes[size])
    let refused = try evidence.writeRefused(note, evidence.samples.proof(size / 3, in: note, size: size))

    let outcome = try ChildProcess.run(try GoJudge.build(into: evidence.url), [evidence.url.path])
    #expect(outcome.status == 0, "\(String(decoding: outcome.errors, as: UTF8.self))")
    let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("checkpoints \(notes.count)"))
    #expect(lines.contains("signatures \((notes.count + 10_000) * 4)"))
    #expect(lines.contains("proofs 10000"))
    #expect(lines.contains("consistency 1000"))
    #expect(lines.contains("refused \(refused)"))
    let tiles = try #require(lines.first { $0.hasPrefix("tiles ") }.flatMap { Int($0.dropFirst(6)) })
    #expect(tiles > 391, "all full tiles, and partial ones")
  }

  @Test("a tile that is wrong, a proof of another tree, and a policy's stranger are found")
  func finds() throws {
    let evidence = try EvidenceDirectory(recordCount: 1_000, sizeCount: 5, seed: 51)
    defer { evidence.remove() }
    let notes = try evidence.writeCheckpoints()
    try evidence.writeTiles()
    let judge = try GoJudge.build(into: evidence.url)
    func verdict() throws -> (Int32, String) {
      let outcome = try ChildProcess.run(judge, [evidence.url.path])
      return (outcome.status, String(decoding: outcome.errors, as: UTF8.self))
    }
    #expect(try verdict().0 == 0)

    let size = 1_000
    let other = SampleRecords(size, seed: 52)
    let note = try #require(notes[size])
    try evidence.write(other.proof(7, in: note, size: size).bytes, to: "proofs/other.tlog-proof")
    #expect(try verdict().0 == 1)
    #expect(try verdict().1.contains("other.tlog-proof"))
    try evidence.write(evidence.samples.proof(7, in: note, size: size).bytes, to: "proofs/other.tlog-proof")
    #expect(try verdict().0 == 0)

    var tile = evidence.samples.tree.tile(level: 0, number: 0, width: 256)
    tile[100] ^= 1
    try evidence.write(tile, to: "tile/0/000")
    #expect(try verdict().0 == 1)
    tile[100] ^= 1
    try evidence.write(tile, to: "tile/0/000")
    try evidence.write(EvidenceWorld.note(.empty, by: EvidenceWorld.otherLog).bytes, to: "checkpoints/other.txt")
    #expect(try verdict().0 == 1)
  }
}

@Suite("Evidence, judged by a script of Python's standard library")
struct EvidenceScriptTests {
  /// What the script ends with.
  private static func status(_ refusal: ProofRefusal) -> Int32 {
    switch refusal {
    case .tooLarge, .badLine, .badNote, .checkpoint(.checkpoint): 65
    case .checkpoint(.note): 84
    case .checkpoint(.unsigned): 85
    case .checkpoint(.unknownLog): 86
    case .checkpoint(.quorumMissing): 93
    case .notIncluded: 94
    case .recordMissing: 95
    case .indexOutside: 96
    case .wrongHashCount: 97
    case .otherRecord: -1
    }
  }

  /// The script and our own check find the same, in the same words.
  private func expectAgreement(_ bytes: [UInt8], in evidence: EvidenceDirectory, policy: String = "policy") throws {
    try evidence.write(bytes, to: "asked.tlog-proof")
    let found = try PythonScript.run([
      evidence.url.appending(path: "asked.tlog-proof").path, "--policy", evidence.url.appending(path: policy).path,
    ])
    let text = try Data(contentsOf: evidence.url.appending(path: policy))
    do throws(ProofRefusal) {
      let proof = try LogProof(bytes)
      guard let trusted = try? TrustPolicy(text: Array(text)) else { preconditionFailure("a good policy") }
      let endorsement = try proof.check(trusted)
      #expect(found.status == 0, "\(found.errors)")
      let head = endorsement.checkpoint
      #expect(
        found.output.hasPrefix(
          "holds: record \(proof.index + 1) of \(head.origin), in its tree of \(head.head.size) records"))
      #expect(found.output.contains("\nseen by one: 2026-02-11 08:53:20 UTC\n") == !endorsement.cosigned.isEmpty)
    } catch {
      #expect(found.errors == "does not hold: \(error)\n")
      #expect(found.status == Self.status(error), "\(error)")
    }
  }

  @Test("a sample of proofs holds, with record and salt shown")
  func holds() throws {
    let evidence = try EvidenceDirectory(recordCount: 300, sizeCount: 10, seed: 61)
    defer { evidence.remove() }
    let notes = try evidence.writeCheckpoints()
    for size in evidence.sizes {
      let note = try #require(notes[size])
      try expectAgreement(evidence.samples.proof(size * 2 / 3, in: note, size: size).bytes, in: evidence)
    }
    let record = try #require(
      DisclosedRecord(salt: Array(0..<16), body: Array("Grüße an Erika\n".utf8)))
    let tree = LevelTree(entries: [record.entry])
    let proof = LogProof(record: record, index: 0, hashes: [], note: try EvidenceWorld.note(tree.head(1)))
    try evidence.write(proof.bytes, to: "shown.tlog-proof")
    let shown = try PythonScript.run([
      evidence.url.appending(path: "shown.tlog-proof").path, "--policy", evidence.url.appending(path: "policy").path,
    ])
    #expect(shown.output.contains("\nsalt     000102030405060708090a0b0c0d0e0f\n"))
    #expect(shown.output.contains("\nreadable 'Grüße an Erika\\n'\n"))
  }

  @Test("what does not hold is refused in our words, with a number of its own")
  func refuses() throws {
    let evidence = try EvidenceDirectory(recordCount: 1, sizeCount: 1, seed: 71)
    defer { evidence.remove() }
    for (_, bytes) in try ProofFaults.table() { try expectAgreement(bytes, in: evidence) }
    try expectAgreement([UInt8](repeating: 65, count: EvidenceLimits.proofByteCountMaximum + 1), in: evidence)
    // Of all flipped bytes every fortieth: our own check is asked for each of them elsewhere.
    for (_, bytes) in flips(try ProofFaults.proof().bytes).enumerated().filter({ $0.offset % 40 == 0 }).map(\.element) {
      try expectAgreement(bytes, in: evidence)
    }
  }

  @Test("quorums are counted alike")
  func quorums() throws {
    let evidence = try EvidenceDirectory(recordCount: 20, sizeCount: 1, seed: 81)
    defer { evidence.remove() }
    let lines = EvidenceWorld.strictPolicyText.split(separator: "\n").dropLast(2).joined(separator: "\n")
    let quorums = ["quorum none", "quorum two", "group g 2 one two three\nquorum g", "group g any one two\nquorum g"]
    for (index, quorum) in quorums.enumerated() {
      try evidence.write("\(lines)\n\(quorum)\n", to: "policy\(index)")
      for cosigners in [[], [0], [0, 2], [0, 1, 2]] {
        let note = try EvidenceWorld.note(evidence.samples.tree.head(20), cosignedBy: cosigners)
        try expectAgreement(
          evidence.samples.proof(3, in: note, size: 20).bytes, in: evidence, policy: "policy\(index)")
      }
    }
  }

  @Test("a policy that is wrong, a file that is missing and a wrong command line are told apart")
  func arguments() throws {
    let evidence = try EvidenceDirectory(recordCount: 3, sizeCount: 1, seed: 91)
    defer { evidence.remove() }
    let note = try EvidenceWorld.note(evidence.samples.tree.head(3))
    try evidence.write(evidence.samples.proof(0, in: note, size: 3).bytes, to: "good.tlog-proof")
    let good = evidence.url.appending(path: "good.tlog-proof").path
    let policy = evidence.url.appending(path: "policy").path
    #expect(try PythonScript.run([good, "--policy", policy]).status == 0)
    #expect(try PythonScript.run([]).status == 64)
    #expect(try PythonScript.run([good, "--trust", policy]).status == 64)
    #expect(try PythonScript.run([good + ".not", "--policy", policy]).status == 66)
    #expect(try PythonScript.run([good, "--policy", policy + ".not"]).status == 66)
    for wrong in TrustPolicyTests.wrong {
      try evidence.write(wrong.lines.map { $0 + "\n" }.joined(), to: "wrong")
      let outcome = try PythonScript.run([good, "--policy", evidence.url.appending(path: "wrong").path])
      #expect(outcome.status == 78, "\(wrong.testDescription)")
      let place = wrong.line.map { "line \($0): " } ?? "it "
      #expect(outcome.errors.hasPrefix("the policy is wrong: \(place)"))
      #expect(outcome.output.isEmpty)
    }
  }

  @Test("it has its bounds from us, and no more lines than one reads in an evening")
  func bounds() throws {
    let text = try String(contentsOfFile: PythonScript.path, encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 156)
    let bounds = [
      EvidenceLimits.noteByteCountMaximum, EvidenceLimits.proofByteCountMaximum,
      EvidenceLimits.policyByteCountMaximum, EvidenceLimits.recordByteCountMaximum,
    ]
    #expect(text.contains("= \(bounds.map(String.init).joined(separator: ", "))"))
  }
}
