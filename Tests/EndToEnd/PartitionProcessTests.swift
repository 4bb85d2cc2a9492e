import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import SystemPackage
import Testing

extension ServerFromOutside {
  @Suite("A server with two journals", .timeLimit(.minutes(2)))
  struct PartitionProcessTests {
    private static func journals(_ server: ServerProcess) -> [FilePath] {
      ["p0000", "p0001"].map { FilePath(server.dataDirectory).appending($0).appending("journal") }
    }

    @Test("chats and pushes survive a kill, and an erasure reaches both journals")
    func story() async throws {
      try await PushReceiver.run { receiver in
        var options = receiver.options(delaySeconds: 0)
        options["server"] = ["partitions": "2"]
        try await ServerProcess.run(options) { server in
          // All of them in one of the two, by chance: once in 32,768 runs.
          let count = 16
          var chats: [PushPayloadTests.Chat] = []
          for number in 1...count { chats.append(try await Self.away(server, number)) }
          for chat in chats { try await PushPayloadTests.write(chat, server, ["marked before the kill"]) }
          _ = try await receiver.pushes(count: count)
          try await server.killNow()
          try await server.start()
          for chat in chats { try await PushPayloadTests.write(chat, server, ["marked after the kill"]) }
          // One whose success the kill took comes again, under its id.
          _ = try await eventually("a push for each message") {
            Set(receiver.pushes.compactMap(\.id)).count >= 2 * count ? true : nil
          }
          for chat in chats {
            let transcript = try await server.agent().get("/agent/1/chats/\(chat.chatID)/transcript?after=0")
            for text in ["marked before the kill", "marked after the kill"] { #expect(transcript.text.contains(text)) }
          }
          #expect(try await server.stop() == 0)
          #expect(try Self.journals(server).allSatisfy { try Self.holdsMark($0) }, "some of it lies in each")

          let redact = ["journal", "redact", server.dataDirectory, "--subject", Self.subject]
          let planned = try await server.command(redact + ["--dry-run"])
          #expect(planned.status == 0 && planned.output.contains("would be erased"), "\(planned.output)")
          let erased = try await server.command(redact)
          #expect(erased.status == 0 && erased.output.contains("erased     "), "\(erased.output)")
          for journal in Self.journals(server) { #expect(try !Self.holdsMark(journal), "\(journal)") }
          try await server.start()
          let metrics = try await server.wire().get("/metrics")
          #expect(metrics.text.contains(#"partition="1""#), "\(metrics.status)")
        }
      }
    }

    /// What all chats have attached: by this they are one customer's.
    private static let subject = "case-4711"

    /// A chat in the background, of a user with a device of their own.
    private static func away(_ server: ServerProcess, _ number: Int) async throws -> PushPayloadTests.Chat {
      let customer = server.wire(user: "user-\(number)")
      let app = try await CometApp.online(customer)
      let created = try await customer.form(
        "/genesys/1/service/request-chat", [(name: "reference", value: subject)])
      let serviceID = try #require(created.json["_id"]?.string, "\(created.text)")
      let started = try await customer.form(
        Wire.chat(serviceID),
        WireTraceTests.guest + [
          (name: "push_notification_type", value: "customhttp"),
          (name: "push_notification_deviceid", value: "phone-\(number)"),
        ])
      let chatID = try #require(started.json["chatSessionId"]?.string, "\(started.text)")
      _ = try await server.agent().agent("join", chatID, ["nickname": "Agent K", "role": "AGENT"])
      _ = try await app.receive(through: 2)
      _ = try await app.disconnect(position: 2)
      return PushPayloadTests.Chat(serviceID: serviceID, chatID: chatID)
    }

    private static func holdsMark(_ journal: FilePath) throws -> Bool {
      var isFound = false
      try JournalReader(directory: journal).forEachRecord { record in
        if !record.isRedacted, String(decoding: record.payload, as: UTF8.self).contains("marked ") { isFound = true }
      }
      return isFound
    }

    @Test("what does not fit is refused with a code of its own, and changes nothing")
    func refusals() async throws {
      try await ServerProcess.run(["server": ["partitions": "2"]]) { server in
        #expect(try await server.stop() == 0)
        let serve = ["serve", "--config", server.configurationFile, "--port", "0"]
        func expect(_ status: Int32, _ word: String, _ arguments: [String]) async throws {
          let before = try Self.contents(server)
          let result = try await server.command(arguments)
          #expect(result.status == status && result.output.contains(word), "\(result.status): \(result.output)")
          #expect(try Self.contents(server) == before, "\(status)")
        }
        try await expect(119, "has 2 partitions", ["promote", server.dataDirectory])
        let kept = server.dataDirectory + "-kept"
        try await expect(119, "has 2 partitions", ["backup", server.dataDirectory, "--to", kept])
        try await expect(119, "is one of the partitions of", ["promote", server.dataDirectory + "/p0001"])
        try server.configure(["server": ["partitions": "1"]])
        try await expect(116, "was made with 2 partitions, and the option partitions asks for 1", serve)
        try server.configure(["server": ["partitions": "3"]])
        try await expect(116, "asks for 3", serve)
        try server.configure(["server": ["partitions": "2"]])
        let files = FileManager.default
        let (part, aside) = (server.dataDirectory + "/p0001", server.directory + "/aside")
        try files.moveItem(atPath: part, toPath: aside)
        try await expect(117, "p0001/journal is not there", serve)
        try files.moveItem(atPath: aside, toPath: part)
        let list = URL(fileURLWithPath: server.dataDirectory + "/PARTITIONS")
        let good = try Data(contentsOf: list)
        try Data("carillon partitions 1\ncount 4\n".utf8).write(to: list)
        try await expect(118, "PARTITIONS is damaged", serve)
        try files.removeItem(at: list)
        try await expect(118, "PARTITIONS is missing", serve)
        try good.write(to: list)
        try await server.start()
      }
    }

    @Test("a directory of before has one journal, and keeps it")
    func before() async throws {
      try await ServerProcess.run { server in
        #expect(try await server.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: server.dataDirectory + "/PARTITIONS"))
        try server.configure(["server": ["partitions": "2"]])
        let result = try await server.command(["serve", "--config", server.configurationFile, "--port", "0"])
        #expect(result.status == 116 && result.output.contains("was made with 1 partition,"), "\(result.output)")
        try server.configure(["server": ["partitions": "1"]])
        try await server.start()
      }
    }

    /// Names and sizes of all that is there.
    private static func contents(_ server: ServerProcess) throws -> [String: Int] {
      var sizes: [String: Int] = [:]
      let names = FileManager.default.enumerator(atPath: server.dataDirectory)
      while let name = names?.nextObject() as? String {
        let attributes = try FileManager.default.attributesOfItem(atPath: server.dataDirectory + "/" + name)
        sizes[name] = attributes[.size] as? Int
      }
      return sizes
    }
  }
}
