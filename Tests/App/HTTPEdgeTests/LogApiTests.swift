import AuditEngine
import CarillonClient
import EvidenceSamples
import Foundation
import JSONEnvelope
import JournalFormat
import Testing
import Transparency

@testable import Engine
@testable import HTTPEdge

@Suite("The log that strangers can check, over HTTP", .timeLimit(.minutes(5)))
struct LogApiTests {
  /// - Parameter changes: to the section `server`; nil takes an option away.
  private static func run(
    _ readers: LogReaders, witnesses: Int = 0, _ changes: [String: String?] = [:],
    _ body: (AuditDesk, ScriptedWitnesses) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/audit.pem"
    try #require(FileManager.default.createFile(atPath: file, contents: Data(LogWorld.logKey.pem.utf8)))
    let section = LogWorld.section(
      witnesses: witnesses, key: file, changes.merging(["journal.tlog_readers": readers.rawValue]) { $1 })
    let scripted = ScriptedWitnesses()
    try await AuditDesk.run(options: ["server": section], configure: { $0.witnesses = scripted }) {
      try await body($0, scripted)
    }
  }

  /// What somebody gets who shows nothing.
  private static func stranger(_ desk: AuditDesk, _ path: String) async throws -> RawClient.Response {
    let client = try await desk.server.connect()
    try await client.write("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
    return try await client.response()
  }

  @Test("anybody fetches the checkpoint and tiles, if the operator has it so")
  func open() async throws {
    try await Self.run(.anyone) { desk, _ in
      #expect(try await Self.stranger(desk, "/tlog/checkpoint").status == 404)
      let made = try await desk.call("/admin/1/tlog/checkpoints", "POST")
      #expect(made.status == 200, "\(made.body)")
      let size = try #require(made.json["published"]?["size"]?.integer)
      let answer = try await Self.stranger(desk, "/tlog/checkpoint")
      #expect(answer.status == 200 && answer.header("Content-Type") == "text/plain; charset=utf-8")
      #expect(answer.header("Cache-Control") == "public, max-age=5")
      let note = try SignedNote(Array(answer.body.utf8))
      #expect(try note.verify(with: [LogWorld.log.verifierKey]).count == 1)
      let head = try LogCheckpoint(text: note.text).head
      #expect(Int(head.size) == size && made.json["published"]?["root"]?.string == head.root.base64)
      for path in ["0/000.p/\(size)", "entries/000.p/\(size)", "0/000.p/1"] {
        let tile = try await Self.stranger(desk, "/tlog/tile/\(path)")
        #expect(tile.status == 200, "\(path): \(tile.body)")
        #expect(tile.header("Content-Type") == "application/octet-stream")
        #expect(tile.header("Cache-Control") == "public, max-age=31536000, immutable")
        #expect(tile.header("X-Content-Type-Options") == "nosniff")
      }
    }
  }

  @Test("a path that is none is refused by name, and what is not there is not found")
  func paths() async throws {
    try await Self.run(.anyone) { desk, _ in
      let size = try #require(
        try await desk.call("/admin/1/tlog/checkpoints", "POST").json["published"]?["size"]?.integer)
      for path in [
        "0/000.p/0", "0/000.p/256", "0/000.p/-1", "0/000.p/01", "0/0", "0/x000/000", "0/1000", "-1/000", "64/000",
        "1e0/000", "data/000", "0/000.p", "0/000.p/8/9", "0/000/", "0/..%2f000", "0/%2e%2e/000", "%00/000",
        "0/" + String(repeating: "x999/", count: 30) + "999",
      ] {
        let answer = try await Self.stranger(desk, "/tlog/tile/\(path)")
        #expect(answer.status == 400, "\(path): \(answer.status) \(answer.body)")
        #expect(answer.json["message"]?.string?.contains("'tile'") == true, "\(path): \(answer.body)")
      }
      for path in [
        "0/000", "0//000", "0/000.p/\(size + 1)", "1/000.p/1", "entries/000", "entries/001.p/1", "0/x001/000.p/7",
      ] {
        let answer = try await Self.stranger(desk, "/tlog/tile/\(path)")
        #expect(answer.status == 404, "\(path): \(answer.status) \(answer.body)")
        #expect(answer.json["message"]?.string?.contains("\(size) records") == true, "\(answer.body)")
      }
      for path in ["/tlog", "/tlog/", "/tlog/tile", "/tlog/tile/../checkpoint", "/tlog/checkpoint/1"] {
        #expect([400, 404].contains(try await Self.stranger(desk, path).status), "\(path)")
      }
    }
  }

  @Test("where operators alone may read, others hear why; where nobody may, nothing is there")
  func readers() async throws {
    try await Self.run(.token) { desk, _ in
      _ = try await desk.call("/admin/1/tlog/checkpoints", "POST")
      for path in ["/tlog/checkpoint", "/tlog/tile/0/000.p/1"] {
        #expect(try await Self.stranger(desk, path).status == 401)
        let answer = try await desk.call(path)
        #expect(answer.status == 200 && answer.header("Cache-Control")?.hasPrefix("private") == true)
      }
      try await desk.isOperatorsOnly(["/tlog/checkpoint", "/tlog/tile/0/000.p/1", "/admin/1/tlog"])
      let agent = try desk.server.tokens.create(name: "bert", role: .agent)
      #expect(try await desk.call("/admin/1/tlog/checkpoints", "POST", token: agent).status == 403)
    }
    try await Self.run(.nobody) { desk, _ in
      _ = try await desk.call("/admin/1/tlog/checkpoints", "POST")
      for path in ["/tlog/checkpoint", "/tlog/tile/0/000.p/1"] {
        #expect(try await Self.stranger(desk, path).status == 404)
        #expect(try await desk.call(path).status == 404)
      }
    }
  }

  @Test("an operator sees how it stands with each witness, and which of them has seen another history")
  func status() async throws {
    try await Self.run(.anyone, witnesses: 3) { desk, witnesses in
      let before = try await desk.call("/admin/1/tlog").json
      #expect(before["origin"]?.string == "carillon.example.com/main" && before["quorum"] == 2)
      #expect(before["newest"] == nil && before["readers"] == "anyone")
      witnesses.set(1, .status(422))
      witnesses.set(2, .late)
      let json = try await desk.call("/admin/1/tlog/checkpoints", "POST").json
      let size = try #require(json["newest"]?["size"]?.integer)
      #expect(json["verifierKey"]?.string == LogWorld.log.verifierKey.text)
      #expect(json["newest"]?["cosignatures"] == 1)
      let states = try #require(json["witnesses"]?.array)
      #expect(states.map { $0["cosignedSize"]?.integer } == [size, 0, 0])
      #expect(states.map { $0["fork"] } == [false, true, false])
      #expect(states[0]["problem"] == nil && states[0]["cosignedAt"]?.string?.hasSuffix("Z") == true)
      #expect(states[1]["problem"]?.string?.contains("422") == true && states[1]["cosignedAt"] == nil)
      #expect(try await desk.call("/admin/1/tlog").json["witnesses"] == json["witnesses"])
      try await desk.refuses([("/admin/1/tlog?x=1", "x")])
    }
  }

  @Test("without a log there is nothing to read, and operators hear which options make one")
  func none() async throws {
    try await Self.run(.anyone, ["journal.origin": nil]) { desk, _ in
      #expect(try await Self.stranger(desk, "/tlog/checkpoint").status == 404)
      for (method, path) in [("GET", "/admin/1/tlog"), ("POST", "/admin/1/tlog/checkpoints")] {
        let answer = try await desk.call(path, method)
        #expect(answer.status == 409 && answer.body.contains("journal.origin"), "\(answer.body)")
      }
    }
  }

  // MARK: Receipts

  private static func receipt(
    _ desk: AuditDesk, _ position: String, user: String = "alice"
  ) async throws -> RawClient.Response {
    let client = try await desk.server.connect()
    try await client.write(
      "GET /genesys/1/service/\(desk.chat)/ixn/chat/receipt\(position) HTTP/1.1\r\nHost: x\r\ngms_user: \(user)\r\n\r\n"
    )
    return try await client.response()
  }

  @Test("a customer gets a receipt of what they have written, once a checkpoint has it, and of nothing else")
  func receipts() async throws {
    try await Self.run(.nobody, witnesses: 3, ["chat.receipts": "true"]) { desk, _ in
      let early = try await Self.receipt(desk, "?position=2")
      #expect(early.status == 404 && early.body.contains("NotYetException") && early.header("Retry-After") != nil)
      _ = try await desk.call("/admin/1/tlog/checkpoints", "POST")
      let answer = try await Self.receipt(desk, "?position=2")
      #expect(answer.status == 200, "\(answer.body)")
      #expect(answer.header("Cache-Control") == "private, no-store")
      let receipt = try ChatReceipt(Array(answer.body.utf8))
      let witnesses = LogWorld.witnesses.enumerated().map { "witness w\($0) \($1.verifierKey.text)\n" }.joined()
      let policy = "log \(LogWorld.log.verifierKey.text)\n\(witnesses)group whole all w0 w1 w2\nquorum whole\n"
      let shown = try receipt.check(policy: policy, says: "my secret")
      #expect(shown.origin == "carillon.example.com/main" && shown.witnesses.map(\.name) == ["w0", "w1", "w2"])
      #expect(throws: ChatReceipt.Flaw.otherText) { try receipt.check(policy: policy, says: "my secret ") }
      #expect(throws: ChatReceipt.Flaw.self) { try receipt.check(policy: "quorum none\n", says: "my secret") }
      var bytes = receipt.bytes
      for index in stride(from: 0, to: bytes.count, by: 7) {
        bytes[index] ^= 1
        let forged = try? ChatReceipt(bytes).check(policy: policy, says: "my secret")
        #expect(forged == nil, "byte \(index)")
        bytes[index] ^= 1
      }
      // Her joining is no message; nothing is there behind it.
      for position in ["?position=1", "?position=3", "?position=1000000"] {
        #expect(try await Self.receipt(desk, position).status == 404, "\(position)")
      }
      for position in ["", "?position=", "?position=0", "?position=-1", "?position=x", "?position=2&x=1"] {
        let refused = try await Self.receipt(desk, position)
        #expect(refused.status == 400, "\(position): \(refused.status) \(refused.body)")
      }
      for stranger in ["mallory", ""] {
        #expect([400, 404].contains(try await Self.receipt(desk, "?position=2", user: stranger).status))
      }
      // What the agent says is not hers to have.
      let agent = try desk.server.tokens.create(name: "anna", role: .agent)
      let chats = try await desk.call("/agent/1/chats", token: agent).json
      let chat = try #require(chats[0]?["chatId"]?.string, "\(chats)")
      _ = try await desk.call("/agent/1/chats/\(chat)/join", "POST", body: #"{"nickname":"Anna"}"#, token: agent)
      _ = try await desk.call("/agent/1/chats/\(chat)/messages", "POST", body: #"{"text":"hello"}"#, token: agent)
      _ = try await desk.call("/admin/1/tlog/checkpoints", "POST")
      for position in 3...4 { #expect(try await Self.receipt(desk, "?position=\(position)").status == 404) }
      let erased = try await desk.call("/admin/1/redactions", "POST", body: #"{"subject":"alice","reason":"x"}"#)
      #expect([200, 201, 202].contains(erased.status), "\(erased.body)")
      #expect(try receipt.check(policy: policy, says: "my secret") == shown)
      #expect(try await Self.receipt(desk, "?position=2").status == 404)
    }
  }

  @Test(
    "without the option, or a log, there are no receipts",
    arguments: [["chat.receipts": "false"], ["journal.origin": nil]])
  func noReceipts(changes: [String: String?]) async throws {
    try await Self.run(.nobody, ["chat.receipts": "true"].merging(changes) { $1 }) { desk, _ in
      _ = try await desk.call("/admin/1/tlog/checkpoints", "POST")
      #expect(try await Self.receipt(desk, "?position=2").status == 404)
    }
  }
}
