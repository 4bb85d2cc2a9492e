import EngineKit
import EventSourcing
import JSONEnvelope
import Journal
import JournalFormat
import ServiceLifecycle
import StandbyWire
import Synchronization
import Testing

@testable import Engine
@testable import HTTPEdge

@Suite("Standbys over HTTP", .timeLimit(.minutes(5)))
struct StandbyApiTests {
  /// A standby, as its primary sees it.
  private final class Standby: Sendable {
    let client: RawClient
    let secret: String
    private let parser = Mutex(StandbyMessageParser())

    init(client: RawClient, secret: String) {
      self.client = client
      self.secret = secret
    }

    func get(_ path: String, headers: String = "") async throws -> RawClient.Response {
      try await client.get(path, headers: "Authorization: Bearer \(secret)\r\n\(headers)")
      return try await client.response()
    }

    func acknowledge(_ body: String, headers: String = "") async throws -> RawClient.Response {
      try await client.post(
        StandbyRoute.acknowledgement, body, headers: "Authorization: Bearer \(secret)\r\n\(headers)")
      return try await client.response()
    }

    /// All up to a mark is on its disk.
    func acknowledge(_ mark: StandbyMessage.Mark) async throws -> Int {
      let (place, position) = (mark.place, mark.position)
      return try await acknowledge(
        #"{"standby":"blue","segment":\#(place.segment),"offset":\#(place.offset),"position":\#(position)}"#
      ).status
    }

    /// Listens until the journal is marked up to a position.
    func listen(upTo position: UInt64) async throws -> StandbyMessage.Mark {
      var found: StandbyMessage.Mark?
      _ = try await listen { messages in
        if case .mark(let mark) = messages.last, mark.position >= position { found = mark }
        return found != nil
      }
      return try #require(found)
    }

    /// Begins a stream, and says what it is answered with.
    func follow(_ query: String, headers: String = "") async throws -> RawClient.Response {
      try await client.get(
        StandbyRoute.stream + query, headers: "Authorization: Bearer \(secret)\r\n\(headers)")
      return try await client.response(withoutBody: true)
    }

    /// Listens until `isEnough` says so of all messages so far.
    func listen(until isEnough: ([StandbyMessage]) -> Bool) async throws -> [StandbyMessage] {
      var messages: [StandbyMessage] = []
      while !isEnough(messages) {
        let line = try await client.text(through: "\r\n")
        let count = try #require(Int(line.prefix { $0.isHexDigit }, radix: 16))
        try #require(count > 0, "the stream ended")
        let bytes = Array(try await client.bytes(count: count + 2).dropLast(2))
        messages += try parser.withLock { parser in
          parser.append(bytes)
          var come: [StandbyMessage] = []
          while let message = try parser.next() { come.append(message) }
          return come
        }
      }
      return messages
    }
  }

  private static let beginning =
    "?standby=blue&segment=1&offset=0&chain=\(String(repeating: "0", count: 64))"

  private static func run(
    relieved: @escaping @Sendable (String) -> Void = { _ in }, recovers: Bool = true,
    _ body: (ServerHarness, _ secret: String) async throws -> Void
  ) async throws {
    try await ServerHarness.run(recovers: recovers, configureEngine: { $0.onRelieved = relieved }) { server in
      try await body(server, try server.tokens.create(name: "blue", role: .standby))
    }
  }

  /// Something in the journal.
  private static func store(_ server: ServerHarness, file: String) async throws {
    let client = try await server.connect()
    try await upload(file, client)
    #expect(try await client.response().status == 200)
    await client.close()
  }

  private static func upload(_ file: String, _ client: RawClient) async throws {
    let form = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n\(file)\r\n--x--\r\n"
    try await client.post(
      "/genesys/1/storage/600", form, headers: "Content-Type: multipart/form-data; boundary=x\r\n")
  }

  @Test("the journal comes as it is and as it grows, files before what names them, and is acknowledged")
  func whole() async throws {
    try await Self.run { server, secret in
      let stream = Standby(client: try await server.connect(), secret: secret)
      let asking = Standby(client: try await server.connect(), secret: secret)
      let head = try await stream.follow(Self.beginning)
      #expect(head.status == 200)
      #expect(head.header("Content-Type") == "application/octet-stream")
      #expect(head.header("Cache-Control") == "no-store")
      var messages = try await stream.listen { if case .mark = $0.last { true } else { false } }
      guard case .hello(let hello) = messages.first else { return #expect(Bool(false), "no hello") }
      #expect(hello.epoch == 1 && hello.identity.oldestSegment == 1)
      try await Self.store(server, file: "content of a file")
      let isThere: ([StandbyMessage]) -> Bool = { messages in
        messages.contains { if case .bytes = $0 { true } else { false } }
          && messages.contains { if case .mark = $0 { true } else { false } }
          && messages.contains { if case .file = $0 { true } else { false } }
      }
      messages = try await stream.listen(until: isThere)
      let file = try #require(messages.lazy.compactMap { if case .file(let file) = $0 { file } else { nil } }.first)
      let firstBytes = messages.firstIndex { if case .bytes = $0 { true } else { false } }
      let named = messages.firstIndex { if case .file = $0 { true } else { false } }
      #expect(try #require(named) < #require(firstBytes))
      let fetched = try await asking.get(StandbyRoute.file + "?path=\(file.path)&version=\(file.version)")
      #expect(fetched.status == 200 && fetched.body == "content of a file")
      let mark = try #require(messages.lazy.compactMap { if case .mark(let mark) = $0 { mark } else { nil } }.last)
      let word = #"{"standby":"blue","segment":\#(mark.place.segment),"offset":\#(mark.place.offset),"#
      #expect(try await asking.acknowledge(word + #""position":\#(mark.position)}"#).status == 204)
      let early = try await asking.acknowledge(word + #""position":\#(mark.position + 99)}"#)
      #expect(early.status == 409 && StandbyRefusal(parsing: Array(early.body.utf8)) == .notFollowing)
      let ops = Standby(client: try await server.connect(), secret: try server.tokens.create(name: "o", role: .admin))
      let standing = try JSONValue(parsing: try await ops.get("/admin/1/standbys").body)[0]
      #expect(standing?["name"] == "blue" && standing?["connected"] == true)
      #expect(standing?["acknowledged"]?.integer == Int(mark.position))
      await stream.client.close()
      try await until {
        try JSONValue(parsing: try await ops.get("/admin/1/standbys").body)[0]?["connected"] == false
      }
    }
  }

  @Test("a stop lets a standby acknowledge what others wait for, and get the last record, before it ends its stream")
  func stopping() async throws {
    try await ServerHarness.run(configureEngine: { configuration in
      configuration.standby.waits = true
      configuration.standby.waitLimit = .seconds(300)
    }) { server in
      let secret = try server.tokens.create(name: "blue", role: .standby)
      let stream = Standby(client: try await server.connect(), secret: secret)
      let asking = Standby(client: try await server.connect(), secret: secret)
      let (idle, waiting) = (try await server.connect(), try await server.connect())
      try await idle.get("/health/live")
      #expect(try await idle.response().status == 200)
      #expect(try await stream.follow(Self.beginning).status == 200)
      #expect(try await asking.acknowledge(try await stream.listen(upTo: 0)) == 204)
      try await Self.upload("waits for the standby", waiting)
      let mark = try await stream.listen(upTo: 1)

      await server.services.triggerGracefulShutdown()
      try await idle.closure()
      try await until { !server.engine.isReady }
      let stranger = try await server.connect()
      try await stranger.get("/agent/1/me")
      let refused = try await stranger.response()
      #expect(refused.status == 503 && refused.header("Connection") == "close")
      try await stranger.closure()
      #expect(try await asking.acknowledge(mark) == 204)
      #expect(try await waiting.response().status == 200)
      try await waiting.closure()

      // As the outcome of a push under way would.
      let writer = try #require(server.engine.partition.journal.writer)
      _ = try writer.append(
        kind: 1, key: "k", sequence: 1, timeMilliseconds: 1_700_000_000_000, tag: 1, payload: [1], lazy: false)
      let stopping = Task { await server.engine.stop(grace: .seconds(60)) }
      let last = try await stream.listen(upTo: mark.position + 1)
      let late = Standby(client: try await server.connect(), secret: secret)
      #expect(try await late.acknowledge(last) == 204)
      try await late.client.closure()
      await stopping.value
      await server.server.close()
      #expect(String(decoding: try await stream.client.closure().suffix(5), as: UTF8.self) == "0\r\n\r\n")
      try await asking.client.closure()
      await #expect(throws: (any Error).self) { try await server.connect() }
    }
  }

  @Test("the manifest leads to files, whole and in part")
  func manifest() async throws {
    try await Self.run { server, secret in
      try await Self.store(server, file: "0123456789")
      let standby = Standby(client: try await server.connect(), secret: secret)
      let answer = try await standby.get(StandbyRoute.manifest)
      #expect(answer.status == 200)
      let manifest = try StandbyManifest(parsing: Array(answer.body.utf8))
      #expect(manifest.segments.map(\.number) == [1] && manifest.segments.map(\.isSealed) == [false])
      let paths = manifest.files.map(\.path)
      #expect(paths.contains("tokens.json") && paths.contains { $0.hasPrefix("blobs/") })
      #expect(!paths.contains { $0.contains("LOCK") || $0.contains("EPOCH") })
      let behind = try await standby.get(StandbyRoute.manifest + "?after=tokens.json")
      #expect(try StandbyManifest(parsing: Array(behind.body.utf8)).files.isEmpty)
      let blob = try #require(manifest.files.first { $0.path.hasPrefix("blobs/") })
      let path = StandbyRoute.file + "?path=\(blob.path)&version=\(blob.version)"
      #expect(try await standby.get(path).body == "0123456789")
      for (range, status, body, field) in [
        ("bytes=0-", 206, "0123456789", "bytes 0-9/10"), ("bytes=3-4", 206, "34", "bytes 3-4/10"),
        ("bytes=9-100", 206, "9", "bytes 9-9/10"), ("bytes=-3", 200, "0123456789", nil),
      ] as [(String, Int, String, String?)] {
        let part = try await standby.get(path, headers: "Range: \(range)\r\n")
        #expect(part.status == status && part.body == body, "\(range)")
        #expect(part.header("Content-Range") == field, "\(range)")
      }
      #expect(try await standby.get(path, headers: "Range: bytes=10-\r\n").status == 416)
      for (path, status, reason) in [
        (blob.path + "&version=1-2-3.4", 412, .versionDiffers),
        (
          "checkpoints/00000000000000000001.checkpoint&version=1",
          404, .noFile
        ),
      ] as [(String, Int, StandbyRefusal)] {
        let refused = try await standby.get(StandbyRoute.file + "?path=\(path)")
        #expect(refused.status == status && StandbyRefusal(parsing: Array(refused.body.utf8)) == reason)
      }
    }
  }

  /// What follows a route, and the parameter that is refused.
  private static let badRequests: [(String, String)] = {
    let (zeros, short, capitals) = (
      String(repeating: "0", count: 64), String(repeating: "0", count: 63), String(repeating: "F", count: 64)
    )
    let streams: [(String, String)] = [
      ("", "standby"), ("?standby=a%20b&segment=1&offset=0&chain=0", "standby"),
      ("?standby=a&segment=0&offset=0&chain=\(zeros)", "segment"),
      ("?standby=a&segment=-1&offset=0&chain=0", "segment"),
      ("?standby=a&segment=1&offset=-1&chain=\(zeros)", "offset"),
      ("?standby=a&segment=1&offset=4294967296&chain=\(zeros)", "offset"),
      ("?standby=a&segment=1&offset=0&chain=\(short)", "chain"),
      ("?standby=a&segment=1&offset=0&chain=\(capitals)", "chain"),
      ("\(beginning)&more=1", "more"), ("\(beginning)&segment=1", "segment"),
    ]
    let files: [(String, String)] = [
      ("", "path"), ("?path=tokens.json", "version"), ("?path=../../etc/passwd&version=1", "path"),
      ("?path=/etc/passwd&version=1", "path"), ("?path=journal/LOCK&version=1", "path"),
      ("?path=journal%2F..%2Ftokens.json&version=1", "path"), ("?path=tokens.json&version=a%20b", "version"),
      ("?path=tokens.json%00&version=1", "path"),
    ]
    let manifests: [(String, String)] = [("?after=../tokens.json", "after"), ("?x=1", "x")]
    return streams.map { (StandbyRoute.stream + $0, $1) } + files.map { (StandbyRoute.file + $0, $1) }
      + manifests.map { (StandbyRoute.manifest + $0, $1) }
  }()

  @Test(
    "what is no request of a standby is refused by name",
    arguments: badRequests)
  func badInput(target: String, parameter: String) async throws {
    try await Self.run { server, secret in
      let standby = Standby(client: try await server.connect(), secret: secret)
      let answer = try await standby.get(target)
      #expect(answer.status == 400)
      #expect(answer.body.contains("'\(parameter)'"), "\(answer.body)")
    }
  }

  @Test(
    "a bad acknowledgement is refused, and a large one not read", arguments: ["", "{}", "[]", "{\"standby\":null}"])
  func badAcknowledgements(body: String) async throws {
    try await Self.run { server, secret in
      let standby = Standby(client: try await server.connect(), secret: secret)
      #expect(try await standby.acknowledge(body).status == 400)
      #expect(try await standby.acknowledge(String(repeating: " ", count: 2_000) + body).status == 413)
    }
  }

  @Test("who has another history, or more of it, is told so")
  func refused() async throws {
    try await Self.run { server, secret in
      let standby = Standby(client: try await server.connect(), secret: secret)
      let (zeros, ones) = (String(repeating: "0", count: 64), String(repeating: "1", count: 64))
      for (query, reason) in [
        ("?standby=blue&segment=1&offset=0&chain=\(ones)", .parted),
        ("?standby=blue&segment=1&offset=999999&chain=\(ones)", .ahead),
        ("?standby=blue&segment=2&offset=0&chain=\(zeros)", .ahead),
      ] as [(String, StandbyRefusal)] {
        let answer = try await standby.get(StandbyRoute.stream + query)
        #expect(answer.status == 409 && StandbyRefusal(parsing: Array(answer.body.utf8)) == reason, "\(query)")
      }
      try await standby.client.write(
        "HEAD \(StandbyRoute.stream)\(Self.beginning) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(secret)\r\n\r\n")
      #expect(try await standby.client.response(withoutBody: true).status == 405)
    }
  }

  @Test("only standbys and operators may follow, and a standby may do nothing else")
  func roles() async throws {
    try await Self.run { server, secret in
      let targets = [StandbyRoute.stream + Self.beginning, StandbyRoute.manifest, StandbyRoute.file]
      for role in TokenRole.allCases where role != .sender && !role.mayFollow {
        let other = try server.tokens.create(name: "\(role)", role: role)
        let caller = Standby(client: try await server.connect(), secret: other)
        for target in targets {
          #expect(try await caller.get(target, headers: "Carillon-Epoch: 9\r\n").status == 403, "\(role) \(target)")
        }
        #expect(try await caller.acknowledge("{}").status == 403)
      }
      let stranger = Standby(client: try await server.connect(), secret: "car_nobody")
      for target in targets {
        #expect(try await stranger.get(target, headers: "Carillon-Epoch: 9\r\n").status == 401, "\(target)")
      }
      let standby = Standby(client: try await server.connect(), secret: secret)
      for target in ["/admin/1/standbys", "/admin/1/journal", "/admin/1/tokens", "/agent/1/chats", "/agent/1/me"] {
        #expect(try await standby.get(target).status == 403, "\(target)")
      }
    }
  }

  @Test("a higher epoch ends the server, whoever may follow says it; another one does nothing")
  func relieved() async throws {
    let (heard, tell) = AsyncStream<String>.makeStream()
    try await Self.run(relieved: { tell.yield($0) }) { server, secret in
      let standby = Standby(client: try await server.connect(), secret: secret)
      #expect(try await standby.get(StandbyRoute.manifest, headers: "Carillon-Epoch: 1\r\n").status == 200)
      for text in ["0", "-1", "x", "4294967296", ""] {
        let answer = try await standby.get(StandbyRoute.manifest, headers: "Carillon-Epoch: \(text)\r\n")
        #expect(answer.status == 400, "\(text)")
      }
      let incredible = try await standby.get(StandbyRoute.manifest, headers: "Carillon-Epoch: 4294967295\r\n")
      #expect(incredible.status == 400 && incredible.body.contains("more than 4096 above 1,"), "\(incredible.body)")
      let answer = try await standby.get(StandbyRoute.manifest, headers: "Carillon-Epoch: 7\r\n")
      #expect(answer.status == 409 && StandbyRefusal(parsing: Array(answer.body.utf8)) == .relieved)
      tell.finish()
    }
    #expect(await heard.reduce(into: 0) { count, _ in count += 1 } == 1)
  }

  @Test("before the journal is open there is nothing to follow")
  func early() async throws {
    try await Self.run(recovers: false) { server, secret in
      let standby = Standby(client: try await server.connect(), secret: secret)
      for target in [StandbyRoute.stream + Self.beginning, StandbyRoute.manifest] {
        let answer = try await standby.get(target)
        #expect(answer.status == 503 && StandbyRefusal(parsing: Array(answer.body.utf8)) == .notReady, "\(target)")
        #expect(answer.header("Retry-After") != nil)
      }
    }
  }
}
