import Engine
import FileEngine
import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Files in chats, over HTTP", .timeLimit(.minutes(5)))
struct ChatFileTests {
  private struct Caller {
    let client: RawClient
    /// Header fields of every call, each with its line end.
    var fields = ""

    func call(
      _ method: String, _ path: String, _ body: [UInt8] = [], type: String? = nil, _ extra: String = ""
    ) async throws -> RawClient.Response {
      var head = "\(method) \(path) HTTP/1.1\r\nHost: chat.example.test\r\n\(fields)\(extra)"
      if let type { head += "Content-Type: \(type)\r\n" }
      try await client.write(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
      return try await client.response()
    }

    func json(_ method: String, _ path: String, _ body: String = "") async throws -> JSONValue {
      try JSONValue(parsing: try await call(method, path, Array(body.utf8)).body)
    }
  }

  /// A chat of Ann's, in which the agent Anna is.
  private struct Desk {
    let server: ServerHarness
    let ann: Caller
    let anna: Caller
    /// Where the customer has it, and where the agent.
    let app: String
    let desk: String

    func send(
      _ name: String, _ bytes: [UInt8], type: String? = nil, asAgent: Bool = false
    ) async throws -> RawClient.Response {
      let path = "\(asAgent ? desk : app)/file?name=\(PathText.encode(name))"
      return try await (asAgent ? anna : ann).call("POST", path, bytes, type: type)
    }

    func last() async throws -> JSONValue? {
      try await ann.json("GET", "\(app)/refresh?transcriptPosition=2")["transcriptToShow"]?.array?.last
    }

    func lastOfAgents() async throws -> JSONValue? {
      try await anna.json("GET", "\(desk)/transcript?after=2")["lines"]?.array?.last
    }
  }

  private func run(
    start: String = #"{"nickname":"Ann"}"#, limits: EdgeLimits = ServerHarness.patientLimits,
    options: [String: [String: String]] = [:], configureEngine: (inout EngineConfiguration) -> Void = { _ in },
    _ body: (Desk) async throws -> Void
  ) async throws {
    try await ServerHarness.run(limits: limits, options: options, configureEngine: configureEngine) { server in
      let ann = Caller(client: try await server.connect(), fields: "gms_user: ann\r\n")
      let secret = try server.tokens.create(name: "anna", role: .agent)
      let anna = Caller(client: try await server.connect(), fields: "Authorization: Bearer \(secret)\r\n")
      let id = try #require(try await ann.json("POST", "/genesys/1/service/request-chat")["_id"]?.string)
      let app = "/genesys/1/service/\(id)/ixn/chat"
      let chat = try #require(try await ann.json("POST", app, start)["chatSessionId"]?.string)
      let desk = "/agent/1/chats/\(chat)"
      #expect(try await anna.json("POST", "\(desk)/join", #"{"nickname":"K"}"#) == ["position": 2])
      try await body(Desk(server: server, ann: ann, anna: anna, app: app, desk: desk))
    }
  }

  private static let gif = Array("GIF89a-and-more".utf8)
  private static let page = Array("<script>alert(1)</script>".utf8)

  @Test("a customer's: 201 with what it is; an app that knows no files is shown a URL, agents a URL and what it is")
  func old() async throws {
    try await run { desk in
      let sent = try await desk.send("bill 1.txt", Array("hello".utf8), type: "text/plain;charset=utf-8")
      let answer = try JSONValue(parsing: sent.body)
      let id = try #require(answer["id"]?.string)
      let url = "http://chat.example.test\(desk.app)/file/\(id)"
      #expect(
        sent.status == 201
          && answer == [
            "id": .string(id), "name": "bill 1.txt", "type": "text/plain", "size": 5, "url": .string(url),
            "position": 3,
          ])
      let tuple = try #require(try await desk.last()?.array)
      #expect(tuple.count == 5 && tuple[0] == "Notice.PushUrl" && tuple[2].string == url && tuple[4] == "CLIENT")

      let line = try #require(try await desk.lastOfAgents())
      let ours = "http://chat.example.test\(desk.desk)/file/\(id)"
      #expect(line["type"] == "Notice.PushUrl" && line["text"]?.string == ours && line["position"] == 3)
      #expect(
        line["file"] == [
          "id": .string(id), "name": "bill 1.txt", "type": "text/plain", "size": 5, "url": .string(ours),
        ])
      let summary = try await desk.anna.json("GET", desk.desk)
      #expect(summary["lastLine"]?["text"] == "bill 1.txt" && summary["unread"] == 1)
      #expect(summary["lastLine"]?["file"]?["url"]?.string == ours)

      let got = try await desk.ann.call("GET", "\(desk.app)/file/\(id)")
      #expect(got.status == 200 && got.body == "hello" && got.header("Content-Type") == "text/plain")
      #expect(try await desk.anna.call("GET", "\(desk.desk)/file/\(id)").body == "hello")
      let tag = try #require(got.header("ETag"))
      #expect(
        try await desk.ann.call("GET", "\(desk.app)/file/\(id)", [], type: nil, "If-None-Match: \(tag)\r\n").status
          == 304)
    }
  }

  @Test("an agent's: an app that knows files gets one, over REST and over Comet")
  func new() async throws {
    let start = #"{"nickname":"Ann","notify_by":"comet","_file_events":"true"}"#
    try await run(start: start) { desk in
      let session = try await desk.server.connect()
      let clientID = try await desk.server.cometSession(session, userKey: "ann")
      let sent = try await desk.send("photo.gif", Self.gif, type: "image/gif", asAgent: true)
      let answer = try JSONValue(parsing: sent.body)
      let id = try #require(answer["id"]?.string)
      #expect(sent.status == 201 && answer["position"] == 3)
      #expect(answer["url"]?.string == "http://chat.example.test\(desk.desk)/file/\(id)")
      let url = "http://chat.example.test\(desk.app)/file/\(id)"
      let file: JSONValue = [
        "id": .string(id), "name": "photo.gif", "type": "image/gif", "size": 15, "url": .string(url),
      ]
      var heard: [JSONValue] = []
      while heard.last?[0] != "Notice.File" {
        try await session.post(
          "/genesys/cometd/connect", desk.server.connect(clientID), headers: "gms_user: ann\r\n")
        let events = try JSONValue(parsing: try await session.response().body)
        heard += (events.array ?? []).flatMap { $0["data"]?["message"]?["transcriptToShow"]?.array ?? [] }
      }
      let told = try #require(heard.last?.array)
      #expect(told.count == 6 && told[0] == "Notice.File" && told[2].string == url && told[4] == "AGENT")
      #expect(told[5] == file)
      let tuple = try #require(try await desk.last()?.array)
      #expect(tuple.count == 6 && tuple[0] == "Notice.File" && tuple[5] == file)
      // What the app said is no data of the chat's.
      #expect(try await desk.anna.json("GET", desk.desk)["data"]?.object?.names == [])
    }
  }

  @Test(
    "browsers save what they are given, but for pictures; nothing of it runs, and its name is text",
    arguments: [
      (#""><img onerror>.png"#, "image/gif", gif, "inline", #""><img onerror>.png"#),
      ("page.html", "text/html", page, "attachment", "page.html"),
      ("x.svg", "image/svg+xml", Array("<svg onload='alert(1)'/>".utf8), "attachment", "x.svg"),
      (#"..\..\x"#, "application/octet-stream", page, "attachment", "x"),
      ("photo\u{202E}gpj.exe", "application/x-msdownload", page, "attachment", "photogpj.exe"),
      ("a\r\nSet-Cookie: b=c", "text/plain", page, "attachment", "aSet-Cookie: b=c"),
      ("no type", nil, page, "attachment", "no type"),
    ] as [(String, String?, [UInt8], String, String)])
  func headers(name: String, type: String?, bytes: [UInt8], disposition: String, cleaned: String) async throws {
    try await run { desk in
      let sent = try await desk.send(name, bytes, type: type)
      let answer = try JSONValue(parsing: sent.body)
      #expect(sent.status == 201 && answer["name"]?.string == cleaned, "\(sent.body)")
      #expect(answer["type"]?.string == type ?? "application/octet-stream")
      let got = try await desk.anna.call("GET", "\(desk.desk)/file/\(answer["id"]?.string ?? "")")
      #expect(got.header("Content-Disposition") == "\(disposition); filename*=UTF-8''\(PathText.encode(cleaned))")
      #expect(got.header("X-Content-Type-Options") == "nosniff")
      #expect(got.header("Content-Security-Policy") == "default-src 'none'; sandbox")
      #expect(got.header("Cache-Control") == "private, no-cache" && got.header("Set-Cookie") == nil)
      #expect(Array(got.body.utf8) == bytes)
    }
  }

  @Test("a form with one file in it is as good as the file")
  func form() async throws {
    try await run { desk in
      let type = "multipart/form-data; boundary=x"
      let note = "--x\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n"
      let file =
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a.gif\"\r\nContent-Type: image/gif\r\n\r\n"
        + "GIF89a\r\n"
      let sent = try await desk.ann.call("POST", "\(desk.app)/file", Array("\(note)\(file)--x--".utf8), type: type)
      let answer = try JSONValue(parsing: sent.body)
      #expect(sent.status == 201 && answer["name"] == "a.gif" && answer["type"] == "image/gif" && answer["size"] == 6)
      for (body, word) in [("\(note)--x--", "file"), ("\(file)\(file)--x--", "file"), ("--x", "multipart")] {
        let refused = try await desk.ann.call("POST", "\(desk.app)/file", Array(body.utf8), type: type)
        #expect(refused.status == 400 && refused.body.contains(word), "\(refused.body)")
      }
    }
  }

  @Test("what cannot be taken is refused with the field and the reason, for customers and agents alike")
  func refused() async throws {
    var limits = ServerHarness.patientLimits
    limits.bodyBytesMaximum = 1_000
    limits.storageBodyBytesMaximum = 5_000
    try await run(limits: limits) { desk in
      for (caller, path) in [(desk.ann, desk.app), (desk.anna, desk.desk)] {
        let cases: [(query: String, body: [UInt8], type: String?, status: Int, word: String)] = [
          ("", [1], nil, 400, "'name'"), ("?name=", [1], nil, 400, "'name'"),
          ("?name=a&name=b", [1], nil, 400, "'name' is given more than once"), ("?name=a", [], nil, 400, "'file'"),
          ("?name=\(String(repeating: "x", count: 300))", [1], nil, 400, "'name' is longer than 255 bytes"),
          ("?name=%ff", [1], nil, 400, "UTF-8"), ("?name=a", Self.page, "image/png", 415, "image/png"),
          ("?name=a", Self.gif, "text/html", 415, "image/gif"),
        ]
        for (query, body, type, status, word) in cases {
          let answer = try await caller.call("POST", "\(path)/file\(query)", body, type: type)
          #expect(answer.status == status && answer.body.contains(word), "\(query): \(answer.status) \(answer.body)")
        }
        let large = try await caller.call("POST", "\(path)/file?name=a", Array(repeating: 65, count: 4_900))
        #expect(large.status == 201)
        let tooLarge = Caller(client: try await desk.server.connect(), fields: caller.fields)
        #expect(
          try await tooLarge.call("POST", "\(path)/file?name=a", Array(repeating: 65, count: 5_001)).status == 413)
      }
      // The others are no larger than ever.
      let other = Caller(client: try await desk.server.connect(), fields: desk.anna.fields)
      let long = Array(#"{"text":"\#(String(repeating: "x", count: 2_000))"}"#.utf8)
      #expect(try await other.call("POST", "\(desk.desk)/messages", long).status == 413)
      #expect(try await desk.ann.json("POST", "\(desk.app)/disconnect")["chatIxnState"] == "DISCONNECTED")
      #expect(try await desk.send("a", [1]).status == 400)
      #expect(try await desk.send("a", [1], asAgent: true).status == 400)
    }
  }

  @Test("nobody gets it but the chat's customer and those who may read the transcript, by token or by session")
  func strangers() async throws {
    try await run { desk in
      let sent = try JSONValue(parsing: try await desk.send("a.txt", [65], asAgent: true).body)
      let id = try #require(sent["id"]?.string)
      let (ours, theirs) = ("\(desk.desk)/file/\(id)", "\(desk.app)/file/\(id)")
      for fields in ["", "gms_user: ben\r\n"] {
        let stranger = Caller(client: try await desk.server.connect(), fields: fields)
        #expect(try await stranger.call("GET", theirs).status == 404)
        #expect(try await stranger.call("POST", "\(desk.app)/file?name=a", [1]).status == 404)
        #expect(try await stranger.call("GET", ours).status == 401)
      }
      let otto = try desk.server.tokens.create(name: "otto", role: .agent)
      let other = Caller(client: try await desk.server.connect(), fields: "Authorization: Bearer \(otto)\r\n")
      #expect(try await other.call("GET", ours).status == 404)
      #expect(try await other.call("POST", "\(desk.desk)/file", [1]).status == 404)
      let boss = try desk.server.tokens.create(name: "boss", role: .supervisor)
      let supervisor = Caller(client: try await desk.server.connect(), fields: "Authorization: Bearer \(boss)\r\n")
      #expect(try await supervisor.call("GET", ours).body == "A")
      // To send one, one has to be in it.
      #expect(try await supervisor.call("POST", "\(desk.desk)/file?name=a", [1]).status == 403)
      #expect(try await desk.anna.call("GET", "\(desk.desk)/file/none").status == 404)
      #expect(try await desk.anna.call("GET", "\(ours)/more").status == 404)

      let page = Caller(client: try await desk.server.connect())
      let signedIn = try await page.call(
        "POST", "/console/1/session", Array(#"{"token":"\#(boss)"}"#.utf8), type: "application/json")
      let cookie = try #require(signedIn.header("Set-Cookie")?.split(separator: ";").first)
      #expect(try await page.call("GET", ours, [], type: nil, "Cookie: \(cookie)\r\n").body == "A")
      // A change needs more than the cookie.
      let forged = try await page.call(
        "POST", "\(desk.desk)/file?name=a", [1], type: nil, "Cookie: \(cookie)\r\n")
      #expect(forged.status == 403 && !forged.body.contains("Join"))
    }
  }

  private struct Scanner: FileScanner {
    func verdict(on bytes: [UInt8], by command: [String], within limit: Duration) async -> ScanVerdict {
      switch bytes {
      case [1]: .clean
      case [2]: .refused
      default: .undecided("no idea")
      }
    }
  }

  @Test(
    "what the scan refuses is 422, what it cannot judge 503 and worth another try",
    arguments: [(1, 201, "id"), (2, 422, "refused"), (3, 503, "scanned")] as [(UInt8, Int, String)])
  func scanned(byte: UInt8, status: Int, word: String) async throws {
    let options = ["server": ["files.scan_command": "/bin/scan"]]
    try await run(options: options, configureEngine: { $0.fileScanner = Scanner() }) { desk in
      for asAgent in [false, true] {
        let answer = try await desk.send("a.bin", [byte], asAgent: asAgent)
        #expect(answer.status == status && answer.body.contains(word), "\(answer.body)")
        #expect((answer.header("Retry-After") != nil) == (status == 503))
      }
      #expect(try await desk.lastOfAgents() == nil || status == 201)
    }
  }
}
