import Foundation
import JSONEnvelope
import ProcessControl
import Synchronization
import TestSupport
import Testing

extension ServerFromOutside {
  @Suite("A backup beside a running server", .timeLimit(.minutes(2)))
  struct BackupTests {
    /// An agent who writes as fast as answers come, and what was acknowledged.
    private final class Talker: Sendable {
      private let wire: Wire
      private let chatID: String
      private let acknowledged = Mutex<[String]>([])
      private let isOver = Flag()

      init(_ wire: Wire, _ chatID: String) { (self.wire, self.chatID) = (wire, chatID) }

      var texts: [String] { acknowledged.withLock { $0 } }

      func stop() { isOver.set() }

      func run() async throws {
        // Long, and not to be compressed: so that segments are sealed and archived meanwhile.
        var random = SeededGenerator(seed: 20_261_128)
        while !isOver.isSet {
          let noise = (0..<800).map { _ in String(random.next(), radix: 36) }.joined()
          let text = "message \(texts.count) \(noise)"
          _ = try await wire.agent("messages", chatID, ["text": .string(text)])
          acknowledged.withLock { $0.append(text) }
        }
      }
    }

    private static func texts(_ server: ServerProcess, _ chatID: String) async throws -> [String] {
      let answer = try await server.agent().get("/agent/1/chats/\(chatID)/transcript?after=0")
      let value = try JSONValue(parsing: answer.body, limits: JSONLimits(documentBytesMaximum: 1 << 26))
      return (value["lines"]?.array ?? []).compactMap { $0["text"]?.string }.filter { $0.hasPrefix("message ") }
    }

    @Test("under load holds all that was acknowledged before, in a directory, an increment and a stream; each restores")
    func load() async throws {
      let options: ServerOptions = ["server": ["journal.segment_size": "4MiB", "journal.archive_interval": "1"]]
      try await ServerProcess.run(options) { server in
        let (_, started) = try await server.wire(user: "ann").startChat([(name: "notify_by", value: "comet")])
        let chatID = try #require(started["chatSessionId"]?.string)
        try await server.agent().agent("join", chatID, ["nickname": "Agent K"])
        let talker = Talker(server.agent(), chatID)
        let talking = Task { try await talker.run() }
        func backup(to place: String) async throws -> (before: [String], output: Data) {
          // Two of them fill a segment, so that one is sealed before the next backup.
          let enough = talker.texts.count + 250
          try await eventually("\(enough) messages") { talker.texts.count >= enough ? true : nil }
          let before = talker.texts
          let result = try ChildProcess.run(ServerProcess.executable, ["backup", server.dataDirectory, "--to", place])
          #expect(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
          return (before, Data(result.output))
        }
        let kept = server.directory + "/kept"
        _ = try await backup(to: kept)
        let increment = try await backup(to: kept)
        let streamed = try await backup(to: "-")
        try streamed.output.write(to: URL(fileURLWithPath: kept + ".tar"))
        let list = try ChildProcess.run("/usr/bin/tar", ["-tf", kept + ".tar"])
        #expect(list.status == 0 && String(decoding: list.output, as: UTF8.self).hasSuffix("\nMANIFEST\n"))
        let verdict = try await server.command(["backup", "--verify", kept])
        #expect(verdict.status == 0 && verdict.output.contains("intact"), "\(verdict.output)")
        talker.stop()
        try await talking.value
        #expect(try await server.stop() == 0)
        let all = talker.texts
        for (place, before) in [(kept, increment.before), (kept + ".tar", streamed.before)] {
          let data = place + "-restored"
          let restored = try await server.command(["restore", "--from", place, data])
          #expect(restored.status == 0, "\(restored.output)")
          try server.configure(["server": ["data_directory": data]])
          try await server.start()
          let found = try await Self.texts(server, chatID)
          #expect(found.starts(with: before) && all.starts(with: found), "\(found.count) of \(before.count)")
          #expect(try await server.stop() == 0)
          let verified = try await server.command(["journal", "verify", data])
          #expect(verified.status == 0, "\(verified.output)")
          let again = try await server.command(["restore", "--from", place, data])
          #expect(again.status == 122, "\(again.output)")
        }
      }
    }
  }
}
