import EventSourcing
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Operators' view of callbacks", .timeLimit(.minutes(5)))
struct CallbackAdminTests {
  private static let queues = "/genesys/1/admin/callback/queues"
  private static let cancel = "/genesys/1/admin/callback/cancel"

  @Test("the queues: records of each service, within a window, by state")
  func windows() async throws {
    try await ServerHarness.runCallbacks(options: ["service.other": ["_service": "callback"]]) { server, app in
      let ops = try await server.caller("ops", .admin)
      let waiting = try await app.order()
      let other = try await app.order(of: "other")
      let far = CallbackCaller.fullHour(after: 30)
      let later = try await app.order(#""_desired_time":"\#(far.iso8601)""#)
      func ids(_ query: String) async throws -> [String: [String]] {
        let answer = try await ops.json("GET", Self.queues + query)
        return Dictionary(
          uniqueKeysWithValues: (answer.object?.members ?? []).map { member in
            (member.name, (member.value.array ?? []).compactMap { $0["_id"]?.string })
          })
      }
      #expect(try await ids("") == ["callback-voice": [waiting], "other": [other]])
      #expect(try await ids("?target=other") == ["other": [other]])
      #expect(
        try await ids("?end_time=\(far.advanced(by: .seconds(1)).iso8601)&states=SCHEDULED,ROUTING")
          == ["callback-voice": [later]])
      #expect(try await ids("?start_time=\(far.iso8601)&end_time=\(far.iso8601)&states=QUEUED") == [:])
      #expect(try await ids("?max=1").values.reduce(0) { $0 + $1.count } == 1)
      let record = try await app.call("GET", "\(CallbackCaller.path)/\(waiting)").body
      #expect(
        try await ops.call("GET", Self.queues + "?target=callback-voice").body == #"{"callback-voice":[\#(record)]}"#)
    }
  }

  @Test("lists say where they go on, and nothing that is left out goes unsaid")
  func pages() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let ops = try await server.caller("ops", .admin)
      let made = [try await app.order(), try await app.order(), try await app.order()]
      for list in [Self.queues + "?max=2", "/genesys/1/service/callback?_limit=2", "\(CallbackCaller.path)?_limit=2"] {
        var (found, path, pages) = ([String](), Optional(list), 0)
        while let next = path, pages < 5 {
          let answer = try await ops.call("GET", next)
          #expect(answer.status == 200, "\(answer.body)")
          found += made.filter { answer.body.contains(#""_id":"\#($0)""#) }
          path = answer.header("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
          pages += 1
        }
        #expect(pages == 2)
        #expect(found.sorted() == made.sorted())
      }
      let wrong = try await ops.call("GET", "/genesys/1/service/callback?_after=x")
      #expect(wrong.status == 400)
      #expect(wrong.body.contains("'_after'"))
    }
  }

  @Test("the next page of the queues has the very window of the one before, to the millisecond")
  func window() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let ops = try await server.caller("ops", .admin)
      for _ in 0..<2 { _ = try await app.order() }
      let path = Self.queues + "?max=1&start_time=2026-01-01T00:00:00.123Z&end_time=2999-01-01T00:00:00.789Z"
      let link = try #require(try await ops.call("GET", path).header("Link"))
      #expect(link.contains("00.123Z") && link.contains("00.789Z"), "\(link)")
    }
  }

  @Test(
    "a wrong parameter is named",
    arguments: [
      ("start_time=yesterday", "start_time"), ("end_time=1", "end_time"), ("states=QUEUED,LOST", "states"),
      ("max=0", "max"), ("max=501", "max"), ("after=x", "after"),
      ("start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z", "end_time"),
    ])
  func badQueues(query: String, name: String) async throws {
    try await ServerHarness.runCallbacks { server, _ in
      let answer = try await server.caller("ops", .admin).call("GET", Self.queues + "?" + query)
      #expect(answer.status == 400)
      #expect(answer.body.contains("'\(name)'"))
    }
  }

  @Test("several are cancelled at once; the answer says which could not be, and why")
  func cancelling() async throws {
    try await ServerHarness.runCallbacks { server, app in
      let ops = try await server.caller("ops", .admin)
      let (first, second) = (try await app.order(), try await app.order(number: "+2"))
      _ = try await app.act(second, "cancel")
      #expect(
        try await ops.call("POST", Self.cancel, #"{"reason":"flood","ids":["\#(first)","\#(second)","none"]}"#).body
          == #"{"cancelled":["\#(first)"],"failed":["#
          + #"{"id":"\#(second)","message":"The callback is over","exception":"CallbackEndedException"},"#
          + #"{"id":"none","message":"There is no such callback","exception":"CallbackNotFoundException"}]}"#)
      let agent = try await server.caller("anna", .supervisor)
      #expect(try await agent.json("GET", "/agent/1/callbacks/\(first)")["note"] == "flood")
    }
  }

  @Test(
    "what is not a list of ids is refused",
    arguments: [
      ("{}", "'ids'"), (#"{"ids":"x"}"#, "'ids'"), (#"{"ids":[1]}"#, "'ids'"), (#"{"ids":[],"reason":3}"#, "'reason'"),
      (#"{"ids":[],"reason":"\#(String(repeating: "x", count: 1_025))"}"#, "'reason'"),
      (#"{"ids":[\#(Array(repeating: #""x""#, count: 1_001).joined(separator: ","))]}"#, "'ids'"), ("[", "JSON"),
    ])
  func badCancel(body: String, complaint: String) async throws {
    try await ServerHarness.runCallbacks { server, _ in
      let answer = try await server.caller("ops", .admin).call("POST", Self.cancel, body)
      #expect(answer.status == 400)
      #expect(answer.body.contains(complaint), "\(answer.body)")
    }
  }

  @Test("only operators, and no page of another origin")
  func access() async throws {
    try await ServerHarness.runCallbacks(origins: .listed(["https://page.test"])) { server, app in
      let agent = try await server.caller("anna", .agent)
      for (method, path) in [("GET", Self.queues), ("POST", Self.cancel)] {
        #expect(try await app.call(method, path, "{}").status == 401)
        #expect(try await agent.call(method, path, "{}").status == 403)
        let answer = try await agent.call(method, path, "{}", headers: "Origin: https://page.test\r\n")
        #expect(answer.header("Access-Control-Allow-Origin") == nil)
      }
      let open = try await app.call("GET", CallbackCaller.path, headers: "Origin: https://page.test\r\n")
      #expect(open.header("Access-Control-Allow-Origin") == "https://page.test")
    }
  }
}
