import EvidenceSamples
import Foundation
import JournalFormat
import Testing
import Transparency

extension EvidenceCommands {
  @Suite("carillon journal check", .timeLimit(.minutes(2)))
  struct CheckCommandTests {
    private static let records = (0..<40).compactMap { number in
      DisclosedRecord(
        salt: [UInt8](repeating: UInt8(number), count: 16),
        // An entity's kind, a tag, its key, its sequence number, a time, and what was stored.
        body: [200, 6, 3] + Array("key".utf8) + [UInt8(number), 0] + Array("hello \(number)".utf8))
    }
    private static let log = StandInLog(records.map(\.entry))

    private static func proof(_ index: Int = 11, of size: UInt64 = 40) throws -> LogProof {
      let note = try log.note(size, cosignedAt: StandInLog.now)
      return try log.proof(records[index], UInt64(index), in: note, size: size)
    }

    @Test("a proof that holds is told as the script tells it, with the record as dump prints it")
    func holds() async throws {
      let tool = try EvidenceTool()
      try tool.write(try Self.proof().bytes, to: "p.tlog-proof")
      try tool.write(StandInLog.policyText, to: "policy")
      let outcome = try await tool.run("journal", "check", "$p.tlog-proof", "--policy", "$policy")
      #expect(outcome.status == 0)
      #expect(outcome.errors.isEmpty)
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(
        lines.first
          == "holds: record 12 of carillon.example.com/main, in its tree of 40 records, signed by the log")
      #expect(lines[1] == "seen by one: 2026-02-11 08:53:20 UTC")
      #expect(
        lines.last
          == #"record   {"position":12,"kind":"200","id":"key","sequence":11,"tag":3,"payload":"68656c6c6f203131"}"#)
      let script = try await tool.runScript("$p.tlog-proof", "--policy", "$policy")
      #expect(script.status == 0)
      #expect(script.output.split(separator: "\n").prefix(4).map(String.init) == Array(lines.prefix(4)))
    }

    struct Fault: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let status: Int32
      let bytes: [UInt8]
      init(_ name: String, _ status: Int32, _ bytes: [UInt8]) {
        (testDescription, self.status, self.bytes) = (name, status, bytes)
      }
    }

    private static func faults() throws -> [Fault] {
      let good = String(decoding: try proof().bytes, as: UTF8.self)
      let other = NoteSigner(name: StandInLog.name("other.example.com/main"), key: StandInLog.key(2))
      let impostor = NoteSigner(name: StandInLog.signer.verifierKey.name, key: StandInLog.key(3))
      func by(_ signer: NoteSigner) throws -> [UInt8] {
        try log.proof(records[11], 11, in: log.note(40, by: signer, cosignedAt: StandInLog.now), size: 40).bytes
      }
      func changed(_ old: String, _ new: String) -> [UInt8] {
        Array(good.replacingOccurrences(of: old, with: new).utf8)
      }
      let lines = good.components(separatedBy: "\n")
      let extra = String(lines[1].dropFirst(6))
      let wrong = Base64.encode((Base64.decode(extra) ?? []).enumerated().map { $0 == 30 ? $1 ^ 1 : $1 })
      return [
        Fault("nothing", 65, []), Fault("not a proof", 65, Array("null\n".utf8)),
        Fault("half of one", 65, Array(good.utf8.prefix(good.utf8.count / 2))),
        Fault("a wrong signature", 84, changed("\n40\n", "\n41\n")), Fault("another key", 85, try by(impostor)),
        Fault("another log", 86, try by(other)),
        Fault("no witness", 93, try log.proof(records[11], 11, in: log.note(40), size: 40).bytes),
        Fault("another record's content", 94, changed(extra, wrong)),
        Fault("another place", 94, changed("index 11\n", "index 10\n")),
        Fault("no record", 95, changed("extra \(extra)\n", "")),
        Fault("a place outside", 96, changed("index 11\n", "index 40\n")),
        Fault("a hash fewer", 97, changed(lines[3] + "\n", "")),
        Fault("a hash more", 97, changed(lines[3] + "\n", lines[3] + "\n" + lines[3] + "\n")),
      ]
    }

    @Test("what does not hold has the script's exit code and its words")
    func faulty() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      for fault in try Self.faults() {
        try tool.write(fault.bytes, to: "p.tlog-proof")
        let outcome = try await tool.run("journal", "check", "$p.tlog-proof", "--policy", "$policy")
        #expect(outcome.status == fault.status, "\(fault.testDescription): \(outcome.errors)")
        #expect(outcome.output.isEmpty)
        let script = try await tool.runScript("$p.tlog-proof", "--policy", "$policy")
        #expect(script.status == fault.status, "\(fault.testDescription): \(script.errors)")
        #expect(outcome.errors == "error: \(script.errors)")
      }
    }

    @Test("a leaf that was given has to be the record's: 98")
    func otherRecord() async throws {
      let tool = try EvidenceTool()
      try tool.write(try Self.proof().bytes, to: "p.tlog-proof")
      try tool.write(StandInLog.policyText, to: "policy")
      let right = try await tool.run(
        "journal", "check", "$p.tlog-proof", "--policy", "$policy", "--leaf", "\(Self.records[11].entry)")
      #expect(right.status == 0)
      let wrong = try await tool.run(
        "journal", "check", "$p.tlog-proof", "--policy", "$policy", "--leaf", "\(Self.records[12].entry)")
      #expect(wrong.status == 98)
      let none = try await tool.run("journal", "check", "$p.tlog-proof", "--policy", "$policy", "--leaf", "12")
      #expect(none.status == 64)
    }

    @Test("a file of a gigabyte is not read, and files that are not there or no policies are named")
    func files() async throws {
      let tool = try EvidenceTool()
      try tool.write(try Self.proof().bytes, to: "p.tlog-proof")
      try tool.write(StandInLog.policyText, to: "policy")
      try tool.write([], to: "huge")
      let huge = try FileHandle(forWritingTo: tool.folder.appending(path: "huge"))
      try huge.truncate(atOffset: 1 << 30)
      try huge.close()
      try tool.write("# nobody\nquorum none\n", to: "keyless")
      try tool.write("log x\n", to: "wrong")
      for (proof, policy, status, word) in [
        ("huge", "policy", 65, "does not hold: not a proof: more than 1663168 bytes"),
        ("p.tlog-proof", "huge", 78, "the policy is wrong: a policy of more than"),
        ("p.tlog-proof", "keyless", 78, "the policy is wrong: the policy names no log"),
        ("p.tlog-proof", "wrong", 78, "the policy is wrong: line 1"), ("absent", "policy", 66, "absent cannot be read"),
        ("p.tlog-proof", "absent", 66, "absent cannot be read"),
      ] as [(String, String, Int32, String)] {
        let outcome = try await tool.run("journal", "check", "$\(proof)", "--policy", "$\(policy)")
        #expect(outcome.status == status, "\(proof) \(policy): \(outcome.errors)")
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
      }
    }

    @Test("a folder is checked to its end, and the first that does not hold gives the exit code")
    func folder() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      try FileManager.default.createDirectory(atPath: tool.path("all"), withIntermediateDirectories: true)
      let empty = try await tool.run("journal", "check", "$all", "--policy", "$policy")
      #expect(empty.status == 1)
      for index in [3, 11, 39] { try tool.write(try Self.proof(index).bytes, to: "all/\(index).tlog-proof") }
      try tool.write("nothing to check", to: "all/README")
      let good = try await tool.run("journal", "check", "$all", "--policy", "$policy")
      #expect(good.status == 0)
      #expect(good.output.hasSuffix("all 3 hold\n"))
      try tool.write([], to: "all/20.tlog-proof")
      let bad = try await tool.run("journal", "check", "$all", "--policy", "$policy")
      #expect(bad.status == 65)
      #expect(bad.output.components(separatedBy: "holds: record").count == 4)
      #expect(bad.errors.hasPrefix("error: 20.tlog-proof: does not hold: not a proof"))
    }
  }
}
