import EngineKit
import EntityRuntime
import EvidenceSamples
import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing
import Transparency

@testable import AuditEngine
@testable import Engine
@testable import EngineRigs

/// An engine whose journal is a log, with witnesses in the process.
private struct EvidenceDesk {
  let directory: FilePath
  let witnesses: ScriptedWitnesses
  let rig: EngineRig
  var evidence: EvidenceService { rig.engine.evidence }

  /// - Parameter changes: to the section `server`; nil takes an option away.
  static func run(
    in directory: FilePath, witnesses: ScriptedWitnesses = ScriptedWitnesses(), count: Int = 3,
    _ changes: [String: String?] = [:], keepsTree: Bool = true, _ body: (EvidenceDesk) async throws -> Void
  ) async throws {
    let key = directory.appending("audit.pem").string
    try Data(LogWorld.logKey.pem.utf8).write(to: URL(fileURLWithPath: key))
    let section = LogWorld.section(witnesses: count, key: key, changes)
    let rig = try await EngineRig(directory: directory.appending("data"), sections: ["server": section]) {
      configuration in
      configuration.witnesses = witnesses
      configuration.housekeeping.keepsTree = keepsTree
      (configuration.limits.witnessRetryMilliseconds, configuration.limits.witnessRetryMillisecondsMaximum) = (0, 0)
      // Nothing happens by itself: the test says when.
      configuration.limits.logPauseMilliseconds = 3_600_000
    }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(EvidenceDesk(directory: directory, witnesses: witnesses, rig: rig))) } catch
    {
      outcome = .failure(error)
    }
    await rig.stop(grace: .zero)
    try outcome.get()
  }

  /// Records that are on the disk.
  func write() async throws {
    _ = try await rig.startChat(user: "alice")
    try await rig.engine.partition.context.untilDurable()
  }

  func status() async throws -> LogStatus { try #require(await evidence.status()) }

  func published() async throws -> SignedNote {
    try await evidence.checkpointNow()
    return try #require(evidence.published?.note)
  }

  /// Two of three have to have seen it.
  static func policy() throws -> TrustPolicy {
    let witnesses = LogWorld.witnesses.enumerated().map { "witness w\($0) \($1.verifierKey.text)\n" }.joined()
    return try TrustPolicy(
      text: Array("log \(LogWorld.log.verifierKey.text)\n\(witnesses)group most 2 w0 w1 w2\nquorum most\n".utf8))
  }
}

@Suite("Checkpoints of a running engine, and their witnesses", .timeLimit(.minutes(2)))
struct EvidenceServiceTests {
  private static func inFolder(_ body: (FilePath) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "carillon-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(FilePath(folder.path))
  }

  @Test("a checkpoint speaks of what is on the disk, is cosigned by all, and its tiles prove each record")
  func cosigned() async throws {
    try await Self.inFolder { folder in
      try await EvidenceDesk.run(in: folder) { desk in
        try await desk.write()
        let note = try await desk.published()
        #expect(try EvidenceDesk.policy().judge(note).cosigned.count == 3)
        let first = try LogCheckpoint(text: note.text)
        try await desk.write()
        let second = try LogCheckpoint(text: try await desk.published().text)
        #expect(second.head.size > first.head.size)
        // Each is asked with what it knows.
        for index in 0..<3 { #expect(desk.witnesses.asked(index) == [0, first.head.size]) }
        let size = second.head.size
        let tile = try await desk.evidence.bytes(of: try #require(TileAddress(path: "tile/0/000.p/\(size)")))
        #expect(tile.count == Int(size) * 32)
        let entries = try await desk.evidence.bytes(of: try #require(TileAddress(path: "tile/entries/000.p/\(size)")))
        #expect(entries.count == Int(size) * 34)
        await #expect(throws: LogReadFailure.beyondCheckpoint(size: size)) {
          try await desk.evidence.bytes(of: try #require(TileAddress(path: "tile/0/000.p/\(size + 1)")))
        }
        // Without a new record the witnesses say again that they see nothing else.
        #expect(try LogCheckpoint(text: try await desk.published().text) == second)
        for index in 0..<3 { #expect(desk.witnesses.asked(index).last == size) }
      }
    }
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let answer: ScriptedWitnesses.Answer
    let failure: CosigningFailure
    var testDescription: String { "\(failure)" }
  }

  private static let sizeType = WitnessAnswer.sizeContentType

  private static let faults = [
    Fault(answer: .late, failure: .late), Fault(answer: .unreachable, failure: .unreachable),
    Fault(answer: .foreignKey, failure: .foreignKey),
    Fault(answer: .status(400), failure: .malformed), Fault(answer: .status(403), failure: .keyUnknown),
    Fault(answer: .status(404), failure: .logUnknown), Fault(answer: .status(422), failure: .inconsistent),
    Fault(answer: .status(500), failure: .unexpected(status: 500)),
    Fault(answer: .status(302), failure: .unexpected(status: 302)),
    Fault(answer: .status(409), failure: .badConflict),
    Fault(answer: .status(409, contentType: "text/plain", body: "1\n"), failure: .badConflict),
    Fault(answer: .status(409, contentType: sizeType, body: "one\n"), failure: .badConflict),
    Fault(answer: .status(409, contentType: sizeType, body: "-1\n"), failure: .badConflict),
    Fault(answer: .status(409, contentType: sizeType, body: "99999999999999999999999\n"), failure: .badConflict),
    Fault(answer: .status(409, contentType: sizeType, body: "1000000\n"), failure: .witnessIsAhead(size: 1_000_000)),
    Fault(answer: .status(200), failure: .badAnswer), Fault(answer: .status(200, body: "null\n"), failure: .badAnswer),
    Fault(answer: .status(200, body: "— w0.example.com AAAAAAAA\n"), failure: .foreignKey),
    Fault(
      answer: .status(200, body: String(repeating: "x", count: EvidenceLimits.witnessAnswerByteCountMaximum + 1)),
      failure: .answerTooLarge),
  ]

  @Test(
    "what a witness answers wrongly is told of that witness, costs the others nothing, and heals", arguments: faults)
  func faulty(_ fault: Fault) async throws {
    try await Self.inFolder { folder in
      try await EvidenceDesk.run(in: folder) { desk in
        desk.witnesses.set(0, fault.answer)
        try await desk.write()
        let note = try await desk.published()
        #expect(try EvidenceDesk.policy().judge(note).cosigned.count == 2)
        var status = try await desk.status()
        #expect(status.witnesses.map(\.failure) == [fault.failure, nil, nil])
        #expect(status.witnesses[0].knownSize == 0 && status.published?.cosigned.count == 2 && status.obstacle == nil)
        desk.witnesses.set(0, .honest)
        try await desk.evidence.checkpointNow()
        status = try await desk.status()
        #expect(status.witnesses.allSatisfy { $0.failure == nil && $0.knownSize == status.newest?.size })
        #expect(status.published?.cosigned.count == 3)
      }
    }
  }

  @Test("a witness whose clock is off is not counted", arguments: [-7_200, 7_200] as [Int64])
  func clock(seconds: Int64) async throws {
    try await Self.inFolder { folder in
      try await EvidenceDesk.run(in: folder) { desk in
        desk.witnesses.set(1, .clock(seconds))
        try await desk.write()
        #expect(try EvidenceDesk.policy().judge(try await desk.published()).cosigned.count == 2)
        guard case .wrongTime(let ahead) = try await desk.status().witnesses[1].failure else {
          Issue.record("its clock was believed")
          return
        }
        #expect(abs(ahead - seconds) < 60)
      }
    }
  }

  @Test("one that has forgotten all is told it anew; one that is asked in vain waits for the next time")
  func forgetful() async throws {
    try await Self.inFolder { folder in
      try await EvidenceDesk.run(in: folder) { desk in
        try await desk.write()
        let size = try LogCheckpoint(text: try await desk.published().text).head.size
        desk.witnesses.forget(2)
        try await desk.write()
        #expect(try EvidenceDesk.policy().judge(try await desk.published()).cosigned.count == 3)
        #expect(desk.witnesses.asked(2) == [0, size, 0])
      }
    }
  }

  @Test("without its quorum a newer checkpoint is kept and not shown")
  func quorum() async throws {
    try await Self.inFolder { folder in
      try await EvidenceDesk.run(in: folder) { desk in
        try await desk.write()
        let first = try await desk.published()
        for index in 0..<2 { desk.witnesses.set(index, .unreachable) }
        try await desk.write()
        #expect(try await desk.published().text == first.text)
        let status = try await desk.status()
        #expect((status.newest?.size ?? 0) > (status.published?.size ?? 0))
        desk.witnesses.set(1, .honest)
        #expect(try await desk.published().text != first.text)
      }
    }
  }

  @Test("after a restart all is as it was: what is shown, and what each witness knows")
  func restart() async throws {
    try await Self.inFolder { folder in
      let witnesses = ScriptedWitnesses()
      var note: SignedNote?
      try await EvidenceDesk.run(in: folder, witnesses: witnesses) { desk in
        try await desk.write()
        note = try await desk.published()
      }
      let size = try LogCheckpoint(text: try #require(note).text).head.size
      try await EvidenceDesk.run(in: folder, witnesses: witnesses) { desk in
        try await desk.evidence.takeUp()
        #expect(desk.evidence.published?.note == note)
        try await desk.write()
        _ = try await desk.published()
        for index in 0..<3 { #expect(witnesses.asked(index) == [0, size]) }
      }
    }
  }

  @Test("of two copies that go on, the witnesses cosign one, and refuse the other with an alarm")
  func fork() async throws {
    try await Self.inFolder { folder in
      let witnesses = ScriptedWitnesses()
      try await EvidenceDesk.run(in: folder, witnesses: witnesses) { desk in
        try await desk.write()
        _ = try await desk.published()
      }
      let copy = folder.appending("copy")
      try FileManager.default.createDirectory(atPath: copy.string, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: folder.appending("data").string, toPath: copy.appending("data").string)
      var size: UInt64 = 0
      try await EvidenceDesk.run(in: folder, witnesses: witnesses) { desk in
        for _ in 0..<3 { try await desk.write() }
        size = try LogCheckpoint(text: try await desk.published().text).head.size
      }
      try await EvidenceDesk.run(in: copy, witnesses: witnesses) { desk in
        try await desk.write()
        let before = try await desk.published()
        var status = try await desk.status()
        #expect(status.witnesses.map(\.failure) == Array(repeating: .witnessIsAhead(size: size), count: 3))
        for _ in 0..<6 { try await desk.write() }
        #expect(try await desk.published() == before)
        status = try await desk.status()
        #expect(status.witnesses.map(\.failure) == Array(repeating: .inconsistent, count: 3))
        #expect(status.witnesses.allSatisfy { $0.failure?.isAlarm == true })
        #expect((status.newest?.size ?? 0) > size)
      }
    }
  }

  @Test("an end of the journal that is missing, and another history, are not signed over")
  func lostEnd() async throws {
    try await Self.inFolder { folder in
      let data = folder.appending("data").string
      try await EvidenceDesk.run(in: folder) { try await $0.write() }
      let early = folder.appending("early").string
      try FileManager.default.copyItem(atPath: data, toPath: early)
      var size: UInt64 = 0
      try await EvidenceDesk.run(in: folder) { desk in
        try await desk.write()
        size = try LogCheckpoint(text: try await desk.published().text).head.size
      }
      try FileManager.default.copyItem(
        atPath: data + "/checkpoints", toPath: early + "/checkpoints")
      try FileManager.default.removeItem(atPath: data)
      try FileManager.default.moveItem(atPath: early, toPath: data)
      try await EvidenceDesk.run(in: folder) { desk in
        await #expect {
          try await desk.evidence.checkpointNow()
        } throws: { error in
          guard case .shorter(signed: size, let now)? = error as? LogObstacle else { return false }
          return now < size
        }
        // What was signed is still shown.
        #expect(desk.evidence.published?.size == size)
        for _ in 0..<4 { try await desk.write() }
        await #expect(throws: LogObstacle.otherHistory(signed: size)) { try await desk.evidence.checkpointNow() }
        #expect(try await desk.status().obstacle?.isAlarm == true)
      }
    }
  }

  @Test("without a tree, an origin, a key, or a record no checkpoint is made, and it is said why")
  func obstacles() async throws {
    try await Self.inFolder { folder in
      for (changes, keepsTree) in [
        ([:], false), (["journal.origin": nil], true), (["journal.checkpoint_key": nil], true),
      ] as [([String: String?], Bool)] {
        try await EvidenceDesk.run(in: folder, changes, keepsTree: keepsTree) { desk in
          await #expect(throws: LogObstacle.notConfigured) { try await desk.evidence.checkpointNow() }
          #expect(await desk.evidence.status() == nil && desk.evidence.readers == .nobody)
        }
      }
      try await EvidenceDesk.run(in: folder, ["journal.checkpoint_key": "/nothing/there.pem"]) { desk in
        try await desk.write()
        await #expect {
          try await desk.evidence.checkpointNow()
        } throws: { error in
          if case .unusableKey? = error as? LogObstacle { true } else { false }
        }
      }
    }
  }
}
