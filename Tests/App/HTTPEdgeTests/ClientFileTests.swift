import ClientAPI
import ConsoleAPI
import Foundation
import Gzip
import Testing

@testable import HTTPEdge

@Suite("The client for browsers over HTTP", .timeLimit(.minutes(5)))
struct ClientFileTests {
  private static let types = [
    ("carillon.js", "text/javascript; charset=utf-8"), ("carillon-worker.js", "text/javascript; charset=utf-8"),
    ("carillon-widget.js", "text/javascript; charset=utf-8"),
    ("carillon.d.ts", "application/typescript; charset=utf-8"),
  ]

  @Test("each file is what it is, for pages of all origins, and is asked for again each time")
  func files() async throws {
    try await ServerHarness.run { server in
      let caller = MessagingCaller(client: try await server.connect())
      for (name, type) in Self.types {
        let answer = try await caller.call("GET", "/client/\(name)", adding: [("Origin", "https://shop.example")])
        #expect(answer.status == 200, "\(name)")
        #expect(answer.raw.header("Content-Type") == type, "\(name)")
        #expect(answer.raw.header("Access-Control-Allow-Origin") == "*", "\(name)")
        #expect(answer.raw.header("Access-Control-Allow-Credentials") == nil, "\(name)")
        #expect(answer.raw.header("Cache-Control") == "no-cache", "\(name)")
        #expect(Array(answer.body.utf8) == ClientRoutes.files[name]?.bytes, "\(name)")
        let tag = try #require(answer.raw.header("ETag"))
        let known = try await caller.call("GET", "/client/\(name)", adding: [("If-None-Match", tag)])
        #expect(known.status == 304 && known.body.isEmpty, "\(name)")
        #expect(known.raw.header("Access-Control-Allow-Origin") == "*", "\(name)")
        let other = try await caller.call("GET", "/client/\(name)", adding: [("If-None-Match", "\"other\"")])
        #expect(other.status == 200, "\(name)")
      }
      #expect(Set(ClientRoutes.files.keys) == Set(Self.types.map(\.0)))
    }
  }

  @Test("each file comes compressed to those who ask for it, who need not get it twice either")
  func compressed() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      for (name, _) in Self.types {
        try await client.get("/client/\(name)", headers: "Accept-Encoding: gzip\r\n")
        let answer = try await client.response(withoutBody: true)
        let length = try #require(answer.header("Content-Length").flatMap { Int($0) })
        let packed = try await client.bytes(count: length)
        #expect(answer.header("Content-Encoding") == "gzip" && answer.header("Vary") == "Accept-Encoding", "\(name)")
        let plain = try packed.withUnsafeBytes { try Gzip.unpack($0, limit: 1_048_576) }
        #expect(plain == ClientRoutes.files[name]?.bytes && packed.count * 2 < plain.count, "\(name)")
        let tag = try #require(answer.header("ETag"))
        #expect(tag.hasPrefix("W/"), "\(name)")
        try await client.get("/client/\(name)", headers: "Accept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n")
        #expect(try await client.response(withoutBody: true).status == 304, "\(name)")
      }
    }
  }

  @Test("nothing else is there, and nothing else can be done")
  func others() async throws {
    try await ServerHarness.run { server in
      let caller = MessagingCaller(client: try await server.connect())
      for path in [
        "/client", "/client/", "/client/package.json", "/client/JAVASCRIPT.md", "/client/Example/index.html",
        "/client/..%2fpackage.json", "/client/carillon.js/x", "/client/Carillon.js",
      ] {
        #expect(try await caller.call("GET", path).status == 404, "\(path)")
      }
      #expect(try await caller.call("POST", "/client/carillon.js", "{}").status == 405)
    }
  }

  @Test("without a console they are there all the same")
  func withoutConsole() async throws {
    try await ServerHarness.run(configure: { $0.console.isEnabled = false }) { server in
      let caller = MessagingCaller(client: try await server.connect())
      #expect(try await caller.call("GET", "/client/carillon.js").status == 200)
    }
  }

  @Test("the scripts say what stands in the tree: nothing is missing but comments and blanks")
  func sources() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Client/JavaScript")
    for (name, _) in Self.types where name.hasSuffix(".js") {
      let source = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      let served = String(decoding: try #require(ClientRoutes.files[name]).bytes, as: UTF8.self)
      let said = source.replacing(/(?m)^ *(?:\/\/.*|\/\*(?s:.*?)\*\/) *$/, with: "")
      #expect(served.filter { !$0.isWhitespace } == said.filter { !$0.isWhitespace }, "\(name)")
    }
  }
}
