import Engine
import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import Testing

@testable import HTTPEdge

@Suite("The journal over HTTP", .timeLimit(.minutes(5)))
struct AdminJournalTests {
  @Test("an operator sees where the journal stands, and what it lies on")
  func status() async throws {
    try await AuditDesk.run { desk in
      let before = try await desk.call("/admin/1/journal").json
      let head = try #require(before["head"]?["position"]?.integer)
      #expect(head > 0 && (before["lastPosition"]?.integer ?? 0) >= head)
      #expect(before["head"]?["chainHash"]?.string?.count == 64)
      #expect((before["commits"]?.integer ?? 0) > 0 && before["lastSyncAt"]?.string?.hasSuffix("Z") == true)
      #expect(before["segmentCount"]?.integer == 1 && before["segmentBytes"]?.integer == 1_048_576)
      #expect(before["segments"]?[0]?["number"]?.integer == 1)
      #expect(before["entities"]?.array?.contains { $0["kind"] == "chat" && $0["count"] == 1 } == true)
      #expect((before["bytesLeft"]?.integer ?? 0) > 0 && before["full"] == false)
      #expect(before["snapshot"] == nil)
      try await desk.server.engine.snapshotNow()
      let snapshot = try await desk.call("/admin/1/journal").json["snapshot"]
      #expect((snapshot?["position"]?.integer ?? 0) >= head && (snapshot?["ageSeconds"]?.integer ?? -1) >= 0)
    }
  }

  @Test("records come in pages, of one entity or of all, with keys hidden")
  func records() async throws {
    try await AuditDesk.run { desk in
      let all = try await desk.all("/admin/1/journal/records?limit=1")
      #expect(all.compactMap { $0["position"]?.integer } == Array(1...all.count))
      let own = try await desk.all("/admin/1/journal/records?entity=chat:\(desk.chat)")
      #expect(own == all.filter { $0["id"]?.string == desk.chat })
      #expect(own.contains { $0["name"]?.string == "linePosted" })
      #expect(try await desk.all("/admin/1/journal/records?kind=chat") == own)
      let body = try await desk.call("/admin/1/journal/records?kind=chat").body
      #expect(!body.contains(#""userKey":"alice""#))
      #expect(
        try await desk.call("/admin/1/journal/records?kind=chat&reveal=true").body.contains(#""userKey":"alice""#))
    }
  }

  @Test("a state is what it was at a moment, and two of them differ in what happened between")
  func states() async throws {
    try await AuditDesk.run { desk in
      let own = try await desk.all("/admin/1/journal/records?entity=chat:\(desk.chat)")
      let first = try #require(own.first?["position"]?.integer)
      let early = try await desk.call("/admin/1/journal/state?entity=chat:\(desk.chat)&at=\(first)").json
      #expect(early["position"]?.integer == first && early["records"] == 1)
      #expect(early["entity"]?.string == "chat:\(desk.chat)")
      let late = try await desk.call("/admin/1/journal/state?entity=chat:\(desk.chat)")
      #expect(late.body.contains("my secret") && late.json["records"]?.integer == own.count)
      let diff = try await desk.call("/admin/1/journal/diff?entity=chat:\(desk.chat)&from=\(first)").json
      #expect(diff["before"]?.object == without("entity", early))
      #expect(diff["changes"]?.array?.isEmpty == false)
      let same = "/admin/1/journal/diff?entity=chat:\(desk.chat)&from=\(first)&to=\(first)"
      #expect(try await desk.call(same).json["changes"] == [])
      #expect(try await desk.call("/admin/1/journal/state?entity=chat:nobody").status == 404)
    }
  }

  private func without(_ name: String, _ value: JSONValue) -> JSONObject {
    var object = value.object ?? [:]
    object[name] = nil
    return object
  }

  @Test("what is asked for wrongly is refused by name; strangers and agents get nothing")
  func refusals() async throws {
    try await AuditDesk.run { desk in
      try await desk.refuses([
        ("/admin/1/journal?x=1", "x"), ("/admin/1/journal/records?entity=chat", "entity"),
        ("/admin/1/journal/records?kind=nothing", "kind"), ("/admin/1/journal/records?after=-1", "after"),
        ("/admin/1/journal/records?limit=501", "limit"), ("/admin/1/journal/records?reveal=yes", "reveal"),
        ("/admin/1/journal/state", "entity"), ("/admin/1/journal/state?entity=200:x", "entity"),
        ("/admin/1/journal/state?entity=chat:a&limit=1", "limit"),
        ("/admin/1/journal/state?entity=chat:a&at=now", "at"), ("/admin/1/journal/diff?entity=chat:a", "from"),
        ("/admin/1/journal/diff?entity=chat:a&from=5&to=4", "to"),
      ])
      try await desk.isOperatorsOnly([
        "/admin/1/journal", "/admin/1/journal/records", "/admin/1/journal/state?entity=chat:a",
        "/admin/1/journal/diff?entity=chat:a&from=1", "/admin/1/journal/verifications/current",
        "/admin/1/journal/checkpoint",
      ])
    }
  }

  @Test("a verification runs beside the server, and what it has found can be fetched signed")
  func verification() async throws {
    let key = AuditKey()
    let directory = try TemporaryDirectory()
    let file = directory.path + "/audit.pem"
    try #require(FileManager.default.createFile(atPath: file, contents: Data(key.pem.utf8)))
    try await AuditDesk.run(options: ["server": ["journal.checkpoint_key": file]]) { desk in
      let current = "/admin/1/journal/verifications/current"
      #expect(try await desk.call(current).status == 404)
      #expect(try await desk.call("/admin/1/journal/checkpoint").status == 409)
      let begun = try await desk.call("/admin/1/journal/verifications", "POST")
      #expect(begun.status == 202 && begun.header("Location") == current)
      #expect(begun.json["state"] == "running" && begun.json["by"] == "ops")
      try await until { try await desk.call(current).json["state"] != "running" }
      let ended = try await desk.call(current).json
      #expect(ended["state"] == "intact" && ended["segments"] == 1 && (ended["records"]?.integer ?? 0) > 0)
      let answer = try await desk.call("/admin/1/journal/checkpoint")
      #expect(answer.header("Content-Disposition")?.hasPrefix("attachment") == true)
      let checkpoint = try Checkpoint(text: Array(answer.body.utf8))
      try checkpoint.checkSignature(trusted: key.publicKey)
      #expect(Int(checkpoint.point.position) <= ended["lastPosition"]?.integer ?? 0)
      #expect(try await desk.call("/admin/1/journal/verifications", "POST").status == 202)
    }
  }

  @Test("without a key there is no checkpoint, and the answer says which option names one")
  func noKey() async throws {
    try await AuditDesk.run { desk in
      let answer = try await desk.call("/admin/1/journal/checkpoint")
      #expect(answer.status == 409 && answer.body.contains("journal.checkpoint_key"))
    }
  }
}
