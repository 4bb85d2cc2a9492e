import EvidenceEdge
import EvidenceSamples
import Foundation
import ProcessControl
import Synchronization
import Testing
import Transparency

extension EvidenceCommands {
  @Suite("carillon journal monitor", .timeLimit(.minutes(2)))
  struct MonitorCommandTests {
    private static let log = StandInLog(400)
    private static let fork = StandInLog(400, common: 100)
    private static let now = UInt64(Date().timeIntervalSince1970)

    private static func shown(_ size: UInt64) -> ShownLog {
      let shown = ShownLog(log, size: size)
      shown.show.withLock { $0.cosignedAt = now }
      return shown
    }

    @Test("looks once, remembers what it has seen, and ends with what it has found")
    func once() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      let shown = Self.shown(300)
      try await withServed(shown) { url in
        func look(_ status: Int32, _ word: String = "") async throws {
          let outcome = try await tool.run(
            "journal", "monitor", url, "--policy", "$policy", "--state", "$state", "--once", "--stall", "86400")
          #expect(outcome.status == status, "\(outcome.errors)")
          #expect(outcome.errors.contains(word) || word.isEmpty, "\(outcome.errors)")
          if status == 0 { #expect(outcome.output.hasPrefix("carillon.example.com/main goes on: ")) }
        }
        try await look(0)
        shown.show.withLock { $0.size = 400 }
        try await look(0)
        let impostor = NoteSigner(name: StandInLog.signer.verifierKey.name, key: StandInLog.key(3))
        let stranger = NoteSigner(name: StandInLog.name("other"), key: StandInLog.key(2))
        let rows: [(LogFile, Int32, String)] = [
          (.absent, 69, "error: the log cannot be asked"), (.failed(""), 69, "it answers 500"),
          (.content([65]), 65, "alarm: not a checkpoint"),
          (.content(try Self.log.note(400).bytes), 93, "alarm: the quorum one is missing"),
          (.content(try Self.log.note(400, by: impostor).bytes), 85, "is not signed by the key"),
          (.content(try Self.log.note(400, by: stranger).bytes), 86, "a log that the policy does not name"),
          (.content(try Self.log.note(400, cosignedAt: Self.now + 4_000).bytes), 103, "the clock of the witness one"),
        ]
        for (file, status, word) in rows {
          shown.show.withLock { $0.files = ["checkpoint": file] }
          try await look(status, word)
        }
        shown.show.withLock { $0.files = [:] }
        try await look(0)
      }
    }

    @Test("a fork has its exit codes, and both halves stay in the state directory")
    func forks() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      let shown = Self.shown(300)
      try await withServed(shown) { url in
        func look() async throws -> (Int32, String) {
          let outcome = try await tool.run(
            "journal", "monitor", url + "/", "--policy", "$policy", "--state", "$state", "--once", "--on-alarm",
            #"echo "$CARILLON_ALARM $CARILLON_ALARM_STATE $CARILLON_LOG" >> "# + tool.path("heard"))
          return (outcome.status, outcome.errors)
        }
        #expect(try await look().0 == 0)
        let record = tool.read("state/\(StandInLog.signer.verifierKey.name.fileStem).monitored")
        #expect(record.hasPrefix("carillon-monitor 1\nseen "))
        for (size, status) in [(400, 87), (300, 87), (200, 88)] as [(UInt64, Int32)] {
          shown.show.withLock { ($0.log, $0.size) = (Self.fork, size) }
          let (found, said) = try await look()
          #expect(found == status, "\(said)")
          #expect(said.hasPrefix("alarm: FORK: "))
        }
        #expect(tool.read("state/\(StandInLog.signer.verifierKey.name.fileStem).monitored") == record)
        #expect(tool.read("state/\(StandInLog.signer.verifierKey.name.fileStem).fork").contains("\n400\n"))
        #expect(
          tool.read("heard") == """
            inconsistent raised carillon.example.com/main
            fork raised carillon.example.com/main
            shrunk raised carillon.example.com/main

            """)
      }
    }

    @Test("tiles that are missing, cut or another log's have each their exit code")
    func tiles() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      let foreign = try Self.fork.hashes(of: #require(TileAddress(path: "tile/0/001.p/144")))
      let shown = Self.shown(400)
      try await withServed(shown) { url in
        for (file, status, word) in [
          (.absent, 99, "tile/0/001.p/144 is not there"), (.content(foreign), 101, "another log's"),
          (.content(Array(foreign.dropLast(32))), 100, "it was cut"), (.content([]), 100, "has 0 bytes"),
          (.failed(""), 69, "cannot be asked"),
        ] as [(LogFile, Int32, String)] {
          shown.show.withLock { $0.files = ["tile/0/001.p/144": file] }
          let outcome = try await tool.run("journal", "monitor", url, "--policy", "$policy", "--once")
          #expect(outcome.status == status, "\(outcome.errors)")
          #expect(outcome.errors.contains(word), "\(outcome.errors)")
        }
      }
    }

    @Test("a log that shows nothing new has stalled: 102")
    func stalls() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      let shown = ShownLog(Self.log, size: 300)
      try await withServed(shown) { url in
        // It was cosigned in February 2026.
        let outcome = try await tool.run("journal", "monitor", url, "--policy", "$policy", "--once", "--stall", "600")
        #expect(outcome.status == 102)
        #expect(outcome.errors.hasPrefix("alarm: stalled: nothing newer than the tree of size 300"))
      }
    }

    @Test("follows until it is stopped, tells a fork once, and has a command hear of it")
    func follows() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      let shown = Self.shown(300)
      try await withServed(shown) { url in
        let monitor = try tool.start(
          "journal", "monitor", url, "--policy", "$policy", "--state", "$state", "--interval", "1", "--on-alarm",
          "echo \"$CARILLON_ALARM $CARILLON_ALARM_TEXT\" >> \(tool.path("heard"))", output: "out", errors: "err")
        while !tool.read("out").contains("goes on: 300 records") { try await Task.sleep(for: .milliseconds(20)) }
        shown.show.withLock { ($0.log, $0.size) = (Self.fork, 400) }
        #expect(try await tool.line("inconsistent ", in: "heard").hasPrefix("FORK: the tree of size 300"))
        #expect(tool.read("err").contains("ALARM: FORK: the tree of size 300"))
        shown.show.withLock { ($0.log, $0.size) = (Self.log, 400) }
        _ = try await tool.line("inconsistent over", in: "heard")
        while !tool.read("out").contains("goes on: 400 records") { try await Task.sleep(for: .milliseconds(20)) }
        monitor.send(signal: SIGTERM)
        #expect(try await monitor.wait(atMost: .seconds(20)) == 0)
      }
    }

    @Test("what it is told wrongly is said before anything is asked")
    func usage() async throws {
      let tool = try EvidenceTool()
      try tool.write(StandInLog.policyText, to: "policy")
      let other = NoteSigner(name: StandInLog.name("other"), key: StandInLog.key(2)).verifierKey.text
      try tool.write(StandInLog.policyText + "log \(other)\n", to: "two")
      let url = "http://127.0.0.1:1/tlog"
      for (arguments, status) in [
        (["file:///etc", "--policy", "$policy"], 64), ([url, "--policy", "$policy", "--interval", "0"], 64),
        ([url, "--policy", "$policy", "--stall", "-1"], 64), ([url, "--policy", "$absent"], 66),
        ([url, "--policy", "$two"], 78),
        ([url, "--policy", "$policy", "--once"], 69),
      ] as [([String], Int32)] {
        let outcome = try await tool.run(["journal", "monitor"] + arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
      }
    }
  }
}
