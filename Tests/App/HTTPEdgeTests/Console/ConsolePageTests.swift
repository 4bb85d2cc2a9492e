import ConsoleAPI
import ConsoleEngine
import ConsolePages
import Engine
import Testing

@testable import HTTPEdge

@Suite("The console's pages over HTTP", .timeLimit(.minutes(5)))
struct ConsolePageTests {
  private static let policy =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; "
    + "img-src 'self' data: blob:"

  private func caller(_ server: ServerHarness) async throws -> MessagingCaller {
    MessagingCaller(client: try await server.connect())
  }

  @Test("the first page is asked for again each time, everything else never")
  func caching() async throws {
    try await ServerHarness.run { server in
      let caller = try await caller(server)
      let index = try await caller.call("GET", "/console/")
      #expect(index.status == 200 && index.raw.header("Content-Type") == "text/html; charset=utf-8")
      #expect(index.raw.header("Cache-Control") == "no-cache")
      let tag = try #require(index.raw.header("ETag"))
      let pages = ConsolePages.embedded
      #expect(index.body.contains("\"./\(pages.hash)/app.js\"") && !index.body.contains("__HASH__"))
      let known = try await caller.call("GET", "/console/", adding: [("If-None-Match", tag)])
      #expect(known.status == 304 && known.body.isEmpty)
      for name in pages.names {
        let file = try await caller.call("GET", "/console/\(pages.hash)/\(name)")
        #expect(file.status == 200, "\(name)")
        #expect(file.raw.header("Cache-Control") == "public, max-age=31536000, immutable", "\(name)")
        #expect(Array(file.body.utf8) == pages.page(at: "\(pages.hash)/\(name)")?.bytes, "\(name)")
      }
      for path in [
        "/console/\(String(repeating: "0", count: 32))/app.js", "/console/\(pages.hash)/", "/console/\(pages.hash)",
        "/console/\(pages.hash)/index.html", "/console/\(pages.hash)/..%2findex.html", "/console/app.js",
        "/console/index.html", "/console//app.js", "/console/1", "/console/1/nothing",
      ] {
        #expect(try await caller.call("GET", path).status == 404, "\(path)")
      }
    }
  }

  @Test("HEAD says what GET would")
  func head() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      for path in ["/console/", "/console/\(ConsolePages.embedded.hash)/app.js"] {
        try await client.write("HEAD \(path) HTTP/1.1\r\nHost: push.test\r\n\r\n")
        let head = try await client.response(withoutBody: true)
        try await client.get(path)
        let whole = try await client.response()
        #expect(head.status == 200)
        for name in ["Content-Length", "Content-Type", "ETag", "Cache-Control"] {
          #expect(head.header(name) == whole.header(name), "\(path) \(name)")
        }
      }
    }
  }

  @Test("every answer there says what a page may do, errors too, and no answer elsewhere has it")
  func headers() async throws {
    try await ServerHarness.run { server in
      let caller = try await caller(server)
      for (method, path) in [
        ("GET", "/console"), ("GET", "/console/"), ("GET", "/console/\(ConsolePages.embedded.hash)/app.js"),
        ("GET", "/console/nothing"), ("POST", "/console/"), ("GET", "/console/1/session"),
        ("POST", "/console/1/session"), ("GET", "/console/1/sessions"), ("TRACE", "/console/1/session"),
        ("OPTIONS", "/console/"),
      ] {
        let answer = try await caller.call(method, path)
        #expect(answer.raw.header("Content-Security-Policy") == Self.policy, "\(method) \(path)")
        #expect(answer.raw.header("X-Frame-Options") == "DENY", "\(method) \(path)")
        #expect(answer.raw.header("Referrer-Policy") == "no-referrer", "\(method) \(path)")
        #expect(answer.raw.header("Cross-Origin-Opener-Policy") == "same-origin", "\(method) \(path)")
        #expect(answer.raw.header("Permissions-Policy")?.contains("camera=()") == true, "\(method) \(path)")
        #expect(answer.raw.header("X-Content-Type-Options") == "nosniff", "\(method) \(path)")
      }
      let other = try await caller.call("GET", "/agent/1/me")
      #expect(other.raw.header("Content-Security-Policy") == nil)
    }
  }

  @Test("the root leads there, and the path without its slash")
  func redirections() async throws {
    try await ServerHarness.run { server in
      let caller = try await caller(server)
      let root = try await caller.call("GET", "/")
      #expect(root.status == 302 && root.raw.header("Location") == "/console/")
      let plain = try await caller.call("GET", "/console")
      #expect(plain.status == 308 && plain.raw.header("Location") == "/console/")
      for path in ["/", "/console", "/console/"] {
        #expect(try await caller.call("POST", path, "{}").status == 405, "\(path)")
      }
    }
  }

  @Test("without a console there is nothing, and no cookie opens anything")
  func disabled() async throws {
    try await ServerHarness.run(configure: { $0.console.isEnabled = false }) { server in
      let caller = try await caller(server)
      let secret = try server.tokens.create(name: "anna", role: .agent)
      for path in ["/", "/console", "/console/", "/console/1/session", "/console/1/sessions", "//console/1/session"] {
        #expect(try await caller.call("GET", path).status == 404, "\(path)")
      }
      let twice = try await caller.call(
        "POST", "//console//1/session", #"{"token":"\#(secret)"}"#, adding: [ConsoleCaller.json])
      #expect(twice.status == 404)
      #expect(try await ConsoleCaller.signIn(caller, #"{"token":"\#(secret)"}"#).status == 404)
      let session = SessionSecret()
      let token = try #require(try server.tokens.list().first)
      _ = try await server.engine.console.open(session.key, tokenID: token.id, name: "anna", role: "agent")
      let cookie = ("Cookie", "carillon_session=\(session.text)")
      #expect(try await caller.call("GET", "/agent/1/me", adding: [cookie]).status == 401)
    }
  }

  @Test("the pages go where they are told to, what they speak with stays")
  func path() async throws {
    try await ServerHarness.run(configure: { $0.console.path = "/desk/main" }) { server in
      let caller = try await caller(server)
      #expect(try await caller.call("GET", "/").raw.header("Location") == "/desk/main/")
      #expect(try await caller.call("GET", "/desk/main").raw.header("Location") == "/desk/main/")
      let index = try await caller.call("GET", "/desk/main/")
      #expect(index.status == 200 && index.raw.header("Content-Security-Policy") == Self.policy)
      let hash = ConsolePages.embedded.hash
      #expect(try await caller.call("GET", "/desk/main/\(hash)/app.js").status == 200)
      for path in ["/console/", "/console/\(hash)/app.js", "/desk", "/desk/", "/desk/mainx", "/desk/mainx/"] {
        #expect(try await caller.call("GET", path).status == 404, "\(path)")
      }
      #expect(try await caller.call("GET", "/console/1/session").status == 401)
    }
  }

  @Test("a customer's phone is among the pages only where the demo has it shown")
  func phone() async throws {
    let pages = ConsolePages.embedded
    let files = pages.demoNames.map { "/console/\(pages.hash)/\($0)" }
    #expect(!files.isEmpty)
    try await ServerHarness.run { server in
      let caller = try await caller(server)
      for path in ["/console/demo-app", "/console/demo-app/", "/console/demo/index.html"] + files {
        #expect(try await caller.call("GET", path).status == 404, "\(path)")
      }
    }
    try await ServerHarness.run(configure: { $0.console.hasDemoApp = true }) { server in
      let caller = try await caller(server)
      let phone = try await caller.call("GET", "/console/demo-app")
      #expect(phone.status == 200 && phone.raw.header("Content-Security-Policy") == Self.policy)
      #expect(phone.raw.header("Cache-Control") == "no-cache" && phone.body.contains("\(pages.hash)/demo/phone.js"))
      for path in files { #expect(try await caller.call("GET", path).status == 200, "\(path)") }
      #expect(try await caller.call("GET", "/console/").status == 200)
      #expect(try await caller.call("POST", "/console/demo-app", "{}").status == 405)
      for path in ["/console/demo-app/", "/console/demo-app/x", "/console/\(pages.hash)/demo/index.html"] {
        #expect(try await caller.call("GET", path).status == 404, "\(path)")
      }
    }
  }

  @Test("no other part of the server has a path that pages could be given")
  func taken() {
    let first = Set(APIDocument.carillon.operations.compactMap { $0.path.split(separator: "/").first.map(String.init) })
    #expect(first.subtracting(["console"]).isSubset(of: ConsolePath.taken), "\(first.subtracting(ConsolePath.taken))")
  }
}
