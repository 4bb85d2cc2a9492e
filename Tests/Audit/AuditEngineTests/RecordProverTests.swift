import ChatDomain
import EngineKit
import EntityRuntime
import EventSourcing
import EvidenceSamples
import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import SystemPackage
import Testing
import Transparency

@testable import AuditEngine
@testable import Engine
@testable import EngineRigs

@Suite("Proofs of records", .timeLimit(.minutes(2)))
struct RecordProverTests {
  private static let policy = "log \(LogWorld.log.verifierKey.text)\nquorum none\n"

  private static func chats(_ rig: EngineRig, _ count: Int) async throws {
    for number in 0..<count {
      let service = try await rig.startChat(user: number.isMultiple(of: 5) ? "alice" : "bob")
      _ = try await rig.engine.chats.send(service, text: "text of chat \(number)", by: .house)
    }
    try await rig.engine.partition.context.untilDurable()
    while try await rig.engine.extendTree().hasMore {}
  }

  private static func note(_ rig: EngineRig) throws -> SignedNote {
    try LogWorld.log.sign(LogCheckpoint(origin: LogWorld.log.verifierKey.name, head: rig.engine.tree.head()))
  }

  private static func prover(_ rig: EngineRig, _ note: SignedNote) throws -> RecordProver {
    try RecordProver(note, rig.engine.partition.reader, rig.engine.tree)
  }

  private static func found(
    _ question: TimelineQuestion, _ rig: EngineRig, _ note: SignedNote, usesIndex: Bool = false
  ) throws -> FoundRecords {
    try FoundRecords(
      question, upTo: LogCheckpoint(text: note.text).head.size, rig.engine.partition.reader,
      index: usesIndex ? rig.engine.partition.recordIndex : nil, maximum: 100_000, in: .carillon)
  }

  /// Of each third record its proof; nil of an erased one.
  private static func proofs(_ rig: EngineRig, _ note: SignedNote) throws -> [UInt64: [UInt8]?] {
    let prover = try prover(rig, note)
    let policy = try TrustPolicy(text: Array(policy.utf8))
    var proofs: [UInt64: [UInt8]?] = [:]
    try prover.read(Array(stride(from: 1, through: prover.checkpoint.head.size, by: 3))) { record in
      do throws(ProofObstacle) {
        let proof = try prover.prove(record)
        #expect((try? LogProof(proof.bytes).check(policy))?.checkpoint == prover.checkpoint)
        proofs[record.position] = .some(proof.bytes)
      } catch {
        #expect(error == .erased(position: record.position))
        proofs[record.position] = .some(nil)
      }
    }
    return proofs
  }

  /// What becomes of a journal in its life.
  enum Change: String, CaseIterable, Sendable {
    case growth, snapshot, packing, archive, redaction, restart, restore
  }

  @Test("checkpoints and proofs from before are the same after each, and after all of them")
  func endurance() async throws {
    var directory = try EngineRig.temporaryDirectory()
    let configure: (inout EngineConfiguration) -> Void = { configuration in
      configuration.housekeeping.retention = .archive
      configuration.housekeeping.segmentBytesMaximum = 64 * 1024
    }
    func start() async throws -> EngineRig {
      try await EngineRig(directory: directory, segmentByteCount: 32 * 1024, configure: configure)
    }
    var rig = try await start()
    try await Self.chats(rig, 80)
    let note = try Self.note(rig)
    var before = try Self.proofs(rig, note)
    #expect(before.count == Int(rig.engine.tree.size + 2) / 3 && !before.values.contains { $0 == nil })
    for change in Change.allCases {
      switch change {
      case .growth: try await Self.chats(rig, 20)
      case .snapshot: for _ in 0..<2 { try await rig.engine.snapshotNow() }
      case .packing, .archive: await rig.engine.tidySegments()
      case .redaction:
        let report = try await rig.engine.redactions.redact(subject: "alice", by: "op", reason: "")
        #expect(report.records > 15)
      case .restart:
        await rig.stop()
        rig = try await start()
      case .restore:
        await rig.stop()
        let copy = try EngineRig.temporaryDirectory()
        try FileManager.default.removeItem(atPath: copy.string)
        try FileManager.default.copyItem(atPath: directory.string, toPath: copy.string)
        directory = copy
        rig = try await start()
      }
      while try await rig.engine.extendTree().hasMore {}
      let after = try Self.proofs(rig, note)
      let erased = Set(after.filter { $0.value == nil }.keys)
      #expect(erased.isEmpty == ([.growth, .snapshot, .packing, .archive].contains(change)), "\(change)")
      for position in erased { before[position] = .some(nil) }
      #expect(after == before, "\(change)")
    }
    await rig.stop()
  }

  @Test("a customer's records are found with the index as without, and no one else's among them")
  func subject() async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    try await Self.chats(rig, 20)
    let note = try Self.note(rig)
    let found = try Self.found(.subject("alice"), rig, note)
    #expect(found.positions.count > 8 && found.positions == found.positions.sorted())
    #expect(try Self.found(.subject("alice"), rig, note, usesIndex: true).positions == found.positions)
    let all = Set(try Self.found(.everything, rig, note).positions)
    #expect(all == Set(1...rig.engine.tree.size))
    let others = try Self.found(.subject("bob"), rig, note).positions
    #expect(Set(others).isDisjoint(with: found.positions))
    #expect(Set(found.entries.filter { $0.entity != nil }.map(\.position)).isSubset(of: found.positions))
    #expect(try Self.found(.subject("nobody"), rig, note).positions.isEmpty)
    #expect(throws: FoundRecords.TooMany.self) {
      try FoundRecords(
        .everything, upTo: .max, rig.engine.partition.reader, index: nil, maximum: 10, in: .carillon)
    }
    await rig.stop()
  }

  @Test("what is not there, not yet there, or of another history is said, each in its way")
  func obstacles() async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    try await Self.chats(rig, 5)
    let note = try Self.note(rig)
    let size = rig.engine.tree.size
    try await Self.chats(rig, 5)
    let prover = try Self.prover(rig, note)
    #expect(throws: ProofObstacle.beyondCheckpoint(position: size + 1, size: size)) { try prover.prove(size + 1) }
    #expect(try prover.prove(size).proof.index == size - 1)
    let origin = LogWorld.log.verifierKey.name
    let other = try LogWorld.log.sign(
      LogCheckpoint(origin: origin, head: TreeHead(size: size, root: LogWorld.root(size))))
    #expect(throws: ProofObstacle.otherHistory(size: size)) { try Self.prover(rig, other) }
    let future = try LogWorld.log.sign(
      LogCheckpoint(origin: origin, head: TreeHead(size: 1_000_000, root: LogWorld.root(1))))
    #expect {
      try Self.prover(rig, future)
    } throws: { error in
      if case .tree(.beyondEnd)? = error as? ProofObstacle { true } else { false }
    }
    await rig.stop()
  }

  @Test("a bundle is text, never markup, and each line leads to its proof")
  func bundle() throws {
    let entity = EntityID(.chatSession, "412")
    var entry = TimelineEntry(
      position: 12, time: Timestamp(milliseconds: 1_770_800_000_000), entity: entity, event: "linePosted",
      who: "<script>alert(1)</script>", what: "")
    entry.text = "</q>\u{202E}<img src=x onerror=\"alert('2')\">&"
    var start = entry
    (start.position, start.entity, start.text, start.who) = (13, nil, nil, "server")
    let head = TreeHead(size: 40, root: LogWorld.root(40))
    let checkpoint = LogCheckpoint(origin: LogWorld.log.verifierKey.name, head: head)
    let bundle = EvidenceBundle(
      subject: "\"><svg onload=x>", made: .epoch, entries: [entry, start], proven: [12, 13],
      note: try LogWorld.log.sign(checkpoint), checkpoint: checkpoint, mask: nil)
    let html = bundle.html
    for markup in ["<script", "<img", "<svg", "\u{202E}"] {
      #expect(!html.contains(markup), "\(markup)")
    }
    #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(html.contains("<a href=\"proofs/000000000012.tlog-proof\">12</a>"))
    #expect(!html.contains("000000000013"))
    #expect(html.contains(head.root.base64))
    let json = try JSONValue(parsing: bundle.json)
    #expect(json["entries"]?[0]?["proof"] == "proofs/000000000012.tlog-proof")
    #expect(json["entries"]?[1]?["proof"] == nil && json["records"] == 40)
  }
}
