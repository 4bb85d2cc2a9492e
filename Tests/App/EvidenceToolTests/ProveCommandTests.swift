import Foundation
import ProcessControl
import Testing
import Transparency

extension EvidenceCommands {
  @Suite("carillon journal prove and export", .timeLimit(.minutes(5)))
  struct ProveCommandTests {
    private func prove(_ tool: EvidenceTool, _ out: String, _ arguments: String...) async throws
      -> EvidenceTool.Outcome
    {
      try await tool.run(["journal", "prove", "$data", "--out", "$\(out)"] + arguments)
    }

    private func check(_ tool: EvidenceTool, _ file: String) async throws {
      let outcome = try await tool.run("journal", "check", "$\(file)", "--policy", "$policy")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(
      "records of a server's log are proven to others' tools, one, some or all of a customer; what is erased is not")
    func proves() async throws {
      let world = try await LoggedServer.make()
      let tool = world.tool
      let (server, url) = try await world.serve("data", "serve")
      try await world.write(3, to: url, user: "alice")
      try await world.write(2, to: url, user: "bob")
      let size = try await world.checkpoint(url, beyond: 4).checkpoint.head.size
      server.send(signal: SIGTERM)
      #expect(try await server.wait(atMost: .seconds(20)) == 0)

      let one = try await prove(tool, "one.tlog-proof", "--position", "1")
      #expect(one.status == 0 && one.output.contains("record   1 of carillon.example.com/main"), "\(one.errors)")
      try await check(tool, "one.tlog-proof")
      let script = try await tool.runScript("$one.tlog-proof", "--policy", "$policy")
      #expect(script.status == 0 && script.output.contains("seen by w2"), "\(script.errors)")

      let line = try #require(
        one.output.split(separator: "\n").first { $0.hasPrefix("content") }?.dropFirst("content  ".count))
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let entity = try #require(
        (record?["kind"] as? String).flatMap { kind in (record?["id"] as? String).map { "\(kind):\($0)" } })
      let own = try await prove(tool, "own", "--entity", entity)
      #expect(own.status == 0, "\(own.errors)")
      try await check(tool, "own")
      #expect(tool.read("own/records.txt").contains("tells    "))
      let first = try await prove(tool, "first", "--entity", entity, "--sequence", "1")
      #expect(first.status == 0 && tool.read("first") == tool.read("one.tlog-proof"), "\(first.errors)")

      let alice = try await prove(tool, "alice", "--subject", "alice")
      #expect(alice.status == 0, "\(alice.errors)")
      try await check(tool, "alice")
      let export = try await tool.run("journal", "export", "$data", "--subject", "alice", "--to", "$bundle")
      #expect(export.status == 0, "\(export.errors)")
      try await check(tool, "bundle/proofs")
      let json =
        try JSONSerialization.jsonObject(with: Data(tool.read("bundle/timeline.json").utf8)) as? [String: Any]
      let proofs = (json?["entries"] as? [[String: Any]] ?? []).compactMap { $0["proof"] as? String }
      #expect(proofs.count >= 3 && proofs.allSatisfy { !tool.read("bundle/\($0)").isEmpty })
      #expect(tool.read("bundle/timeline.html").contains(proofs[0]))
      #expect(tool.read("bundle/checkpoint") == tool.read("own/checkpoint"))

      for (status, word, arguments) in [
        (108, "does not reach record \(size + 1)", ["--position", "\(size + 1)"]), (64, "", ["--position", "0"]),
        (64, "", []), (64, "", ["--position", "1", "--subject", "alice"]), (64, "", ["--push", "x"]),
        (64, "", ["--sequence", "1", "--position", "1"]), (1, "none of the", ["--subject", "nobody"]),
        (1, "none of the", ["--entity", entity, "--sequence", "99"]), (1, "none of the", ["--push", "a/b"]),
        (66, "cannot be read", ["--position", "1", "--note", tool.path("absent")]),
        (86, "no signed note", ["--position", "1", "--note", tool.path("audit.pem")]),
      ] as [(Int32, String, [String])] {
        let outcome = try await tool.run(["journal", "prove", "$data", "--out", "$none"] + arguments)
        #expect(
          outcome.status == status && (word.isEmpty || outcome.errors.contains(word)), "\(arguments): \(outcome.errors)"
        )
        #expect(!FileManager.default.fileExists(atPath: tool.path("none")))
        #expect(!FileManager.default.fileExists(atPath: tool.path("none.writing")))
      }
      let again = try await prove(tool, "own", "--entity", entity)
      #expect(again.status == 73 && again.errors.contains("exists already"))

      let redacted = try await tool.run("journal", "redact", "$data", "--subject", "alice", "--by", "op")
      #expect(redacted.status == 0, "\(redacted.errors)")
      let erased = try await prove(tool, "none", "--position", "1")
      #expect(erased.status == 109 && erased.errors.contains("record 1 was erased"), "\(erased.errors)")
      try await check(tool, "one.tlog-proof")
      try await check(tool, "alice")
      let bob = try await prove(tool, "bob", "--subject", "bob")
      #expect(bob.status == 0, "\(bob.errors)")
      try await check(tool, "bob")
    }
  }
}
