import JSONEnvelope
import StorageAPI
import Testing

@testable import HTTPEdge

@Suite("Storage over REST", .timeLimit(.minutes(5)))
struct StorageTests {
  private struct Caller {
    let client: RawClient
    var user: String?

    func send(
      _ method: String, _ path: String, _ body: [UInt8] = [], type: String? = nil, headers: String = ""
    ) async throws -> RawClient.Response {
      var head = "\(method) /genesys/1/\(path) HTTP/1.1\r\nHost: chat.example.test\r\n\(headers)"
      if let user { head += "gms_user: \(user)\r\n" }
      if let type { head += "Content-Type: \(type)\r\n" }
      try await client.write(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
      return try await client.response(withoutBody: method == "HEAD")
    }

    func form(_ path: String, _ form: String) async throws -> RawClient.Response {
      try await send("POST", path, Array(form.utf8), type: "application/x-www-form-urlencoded")
    }

    func get(_ path: String) async throws -> RawClient.Response { try await send("GET", path) }
    func delete(_ path: String) async throws -> Int { try await send("DELETE", path).status }
  }

  private static func id(_ response: RawClient.Response) throws -> String {
    try #require(try JSONValue(parsing: response.body)["id"]?.string)
  }

  private static let type = "multipart/form-data; boundary=x"
  private static let page = #"<script>alert("hi")</script>"#
  /// A text, a file with a name that leads elsewhere, and what is said to be something else than text.
  private static let parts = Array(
    """
    --x\r\nContent-Disposition: form-data; name="note"\r\n\r\nGrüße\r\n\
    --x\r\nContent-Disposition: form-data; name="my file"; filename="../ü 1.html"\r\nContent-Type: text/html\r\n\r\n\
    \(page)\r\n\
    --x\r\nContent-Disposition: form-data; name="raw"\r\nContent-Type: application/pdf\r\n\r\n\0\u{1}\r\n--x--
    """.utf8)

  private func run(
    limits: EdgeLimits = EdgeLimits(), options: [String: [String: String]] = [:],
    _ body: (ServerHarness, Caller) async throws -> Void
  ) async throws {
    try await ServerHarness.run(limits: limits, options: options) { server in
      try await body(server, Caller(client: try await server.connect()))
    }
  }

  @Test("a form is stored under an id, changed, read whole and key by key, and deleted")
  func life() async throws {
    try await run { _, app in
      let made = try await app.form("storage/600", "a=1&b=zwei+drei&c=%C3%BC")
      let id = try Self.id(made)
      #expect(made.status == 200 && id.utf8.count == 36)
      #expect(try await app.get("storage/\(id)").body == #"{"a":"1","b":"zwei drei","c":"ü"}"#)
      let json = #"{"b":"4","d e":5,"n":null}"#
      let changed = try await app.send("POST", "storage/\(id)/600", Array(json.utf8), type: "application/json")
      #expect(changed.status == 200)
      #expect(try Self.id(changed) == id)
      let one = try await app.get("storage/\(id)/d%20e")
      #expect(one.body == "5" && one.header("Content-Type") == "text/plain;charset=UTF-8")
      #expect(one.header("X-Content-Type-Options") == "nosniff")
      #expect(try await app.delete("storage/\(id)/b") == 200)
      #expect(try await app.get("storage/\(id)").body == #"{"a":"1","c":"ü","d e":"5"}"#)
      #expect(try await app.get("storage/\(id)/b").status == 404)
      #expect(try await app.delete("storage/\(id)/b") == 404)
      #expect(try await app.delete("storage/\(id)") == 200)
      #expect(try await app.delete("storage/\(id)") == 404)
      #expect(try await app.get("storage/\(id)").status == 404)
      #expect(try await app.form("storage/\(id)/600", "a=1").status == 404)
    }
  }

  @Test("files come back byte for byte, as something to be kept and not to be shown")
  func files() async throws {
    try await run { _, app in
      let id = try Self.id(try await app.send("POST", "storage/600", Self.parts, type: Self.type))
      let all = try JSONValue(parsing: try await app.get("storage/\(id)").body)
      let url = "http://chat.example.test/genesys/1/storage/binary/\(id)/my%20file"
      #expect(all["note"] == "Grüße" && all["my file"]?.string == url)
      let file = try await app.get("storage/binary/\(id)/my%20file")
      #expect(file.status == 200 && file.body == Self.page && file.header("Content-Type") == "text/html")
      #expect(file.header("X-Content-Type-Options") == "nosniff")
      #expect(file.header("Content-Disposition") == "attachment; filename*=UTF-8''%C3%BC%201.html")
      let raw = try await app.get("storage/binary/\(id)/raw")
      #expect(raw.body == "\0\u{1}" && raw.header("Content-Type") == "application/pdf")
      #expect(raw.header("Content-Disposition") == "attachment")
      let head = try await app.send("HEAD", "storage/binary/\(id)/my%20file")
      #expect(head.status == 200 && head.header("Content-Length") == "\(Self.page.utf8.count)")
      let tag = try #require(file.header("ETag"))
      #expect(tag.utf8.count == 66 && head.header("ETag") == tag)
      for (given, status) in [(tag, 304), ("W/\(tag)", 304), ("\"a\", \(tag)", 304), ("*", 304), ("\"a\"", 200)] {
        let again = try await app.send("GET", "storage/binary/\(id)/my%20file", headers: "If-None-Match: \(given)\r\n")
        #expect(again.status == status && again.header("ETag") == tag)
      }
      #expect(try await app.get("storage/binary/\(id)/note").status == 404)
      #expect(try await app.get("storage/binary/\(id)/none").status == 404)
    }
  }

  @Test("an id of one's own is seen by its user only, and needs one")
  func custom() async throws {
    try await run { server, app in
      let anna = Caller(client: try await server.connect(), user: "anna")
      let otto = Caller(client: try await server.connect(), user: "otto")
      #expect(try await app.form("storage/custom/cart/600", "a=1").status == 400)
      #expect(try Self.id(try await anna.form("storage/custom/my%20cart/600", "a=1")) == "my cart")
      #expect(try await anna.get("storage/my%20cart").body == #"{"a":"1"}"#)
      #expect(try await anna.form("storage/my%20cart/600", "b=2").status == 200)
      #expect(try await anna.get("storage/my%20cart/b").body == "2")
      for stranger in [app, otto] {
        #expect(try await stranger.get("storage/my%20cart").status == 404)
        #expect(try await stranger.form("storage/my%20cart/600", "b=2").status == 404)
        #expect(try await stranger.delete("storage/my%20cart") == 404)
      }
      #expect(try await anna.delete("storage/my%20cart") == 200)
    }
  }

  @Test(
    "a life time that is none is 30 seconds",
    arguments: [("0", 30), ("-1", 30), ("soon", 30), ("1.5", 30), ("", 30), ("1", 1), ("600", 600)])
  func lifeTime(text: String, seconds: Int) { #expect(StorageRoutes.seconds(text) == seconds) }

  @Test("nobody stores for ever", arguments: ["2592001", "999999999999", "99999999999999999999"])
  func longLife(text: String) async throws {
    try await run { server, _ in
      let anna = Caller(client: try await server.connect(), user: "anna")
      let id = try Self.id(try await anna.form("storage/2592000", "a=1"))
      for path in ["storage/\(text)", "storage/custom/cart/\(text)", "storage/\(id)/\(text)"] {
        let answer = try await anna.form(path, "a=1")
        #expect(answer.status == 400)
        #expect(answer.body.contains("'ttl' is more than 2592000 seconds"), "\(path) \(answer.body)")
      }
    }
  }

  @Test(
    "a body that cannot be read is refused",
    arguments: [
      ("text/plain", "hello", 415), ("image/png", "x", 415), ("application/json", "{", 400), (type, "--y--", 400),
      (type, "--x\r\nContent-Disposition: form-data\r\n\r\n\r\n--x--", 400),
      (type, "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nno end", 400),
      ("application/x-www-form-urlencoded", "a=%zz", 400), ("application/x-www-form-urlencoded", "", 200),
    ])
  func bodies(type: String, body: String, status: Int) async throws {
    try await run { _, app in
      let answer = try await app.send("POST", "storage/60", Array(body.utf8), type: type)
      #expect(answer.status == status)
    }
  }

  @Test("storage takes larger bodies than other resources, up to a bound of its own")
  func bodyLimit() async throws {
    var limits = EdgeLimits()
    limits.bodyBytesMaximum = 1_000
    limits.storageBodyBytesMaximum = 5_000
    try await run(limits: limits) { server, app in
      #expect(try await app.form("storage/60", "a=" + String(repeating: "x", count: 4_000)).status == 200)
      #expect(try await app.form("service/request-chat", "a=" + String(repeating: "x", count: 4_000)).status == 413)
      let other = Caller(client: try await server.connect())
      #expect(try await other.form("storage/60", "a=" + String(repeating: "x", count: 5_000)).status == 413)
    }
  }

  @Test("the data of a service instance is read and changed by the same calls")
  func instance() async throws {
    try await run { _, app in
      let created = try await app.form("service/request-chat", "order=81&color=red")
      let id = try #require(try JSONValue(parsing: created.body)["_id"]?.string)
      #expect(try await app.get("service/\(id)/storage").body == #"{"order":"81","color":"red"}"#)
      #expect(try await app.send("POST", "service/\(id)/storage", Self.parts, type: Self.type).status == 200)
      let all = try JSONValue(parsing: try await app.get("service/\(id)/storage").body)
      let url = "http://chat.example.test/genesys/1/service/\(id)/storage/binary/my%20file"
      #expect(all["order"] == "81" && all["note"] == "Grüße" && all["my file"]?.string == url)
      #expect(try await app.get("service/\(id)/storage/binary/my%20file").body == Self.page)
      #expect(try await app.form("service/\(id)/storage/color", "value=blue").status == 200)
      #expect(try await app.get("service/\(id)/storage/color").body == "blue")
      #expect(try await app.form("service/\(id)/storage/color", "a=1&b=2").status == 400)
      let image = try await app.send("POST", "service/\(id)/storage/logo", [1, 2, 3], type: "image/png")
      #expect(image.status == 200)
      #expect(try await app.get("service/\(id)/storage/binary/logo").header("Content-Type") == "image/png")
      let plain = try await app.send("POST", "service/\(id)/storage/memo", Array("as is".utf8), type: "text/plain")
      #expect(plain.status == 200)
      #expect(try await app.get("service/\(id)/storage/memo").body == "as is")
      #expect(try await app.delete("service/\(id)/storage/order") == 200)
      #expect(try await app.get("service/\(id)/storage/order").status == 404)
      #expect(try await app.delete("service/\(id)/storage") == 200)
      #expect(try await app.get("service/\(id)/storage").body == "{}")
      #expect(try await app.get("service/412-none/storage").status == 404)
      #expect(try await app.form("service/412-none/storage", "a=1").status == 404)
    }
  }

  @Test("credentials protect it: the server's, and for an instance those of its service")
  func access() async throws {
    let options = [
      "server": ["username": "u", "password": "p"], "service.shop": ["username": "s", "password": "p"],
    ]
    try await run(options: options) { _, app in
      #expect(try await app.form("storage/60", "a=1").status == 401)
      let server = "Authorization: Basic dTpw\r\n"
      let shop = "Authorization: Basic czpw\r\n"
      let form = "application/x-www-form-urlencoded"
      #expect(try await app.send("POST", "storage/60", Array("a=1".utf8), type: form, headers: server).status == 200)
      let created = try await app.send("POST", "service/shop", [], type: form, headers: shop)
      let id = try #require(try JSONValue(parsing: created.body)["_id"]?.string)
      #expect(try await app.send("GET", "service/\(id)/storage", headers: server).status == 401)
      #expect(try await app.send("GET", "service/\(id)/storage", headers: shop).status == 200)
    }
  }

  @Test("the methods that a resource has not are 405")
  func methods() async throws {
    try await run { _, app in
      for (method, path) in [
        ("PUT", "storage/x"), ("PUT", "storage/x/y"), ("DELETE", "storage/binary/x/y"), ("GET", "storage/custom/x/60"),
        ("PUT", "service/x/storage"), ("PATCH", "service/x/storage/y"),
      ] {
        let answer = try await app.send(method, path)
        #expect(answer.status == 405, "\(method) \(path)")
      }
    }
  }
}
