import Gzip
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPKit

@Suite("A request whose body is packed", .timeLimit(.minutes(1)))
struct PackedRequestTests {
  private func ask(
    _ site: ScriptedSite, at target: String = "/packed", coding: String = "gzip", _ body: [UInt8]
  ) async throws -> [String] {
    let head =
      "POST \(target) HTTP/1.1\r\nHost: x\r\nContent-Encoding: \(coding)\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    try site.channel.writeInbound(ByteBuffer(bytes: Array(head.utf8) + body))
    // It is unpacked on another thread.
    while true {
      let answers = try site.answers()
      if !answers.isEmpty { return answers }
      await Task.yield()
    }
  }

  private func packed(_ text: String) throws -> [UInt8] {
    try #require(Array(text.utf8).withUnsafeBytes { Gzip.pack($0) })
  }

  @Test("is served as if it had come as it is")
  func served() async throws {
    let site = try ScriptedSite()
    #expect(try await ask(site, packed("1234567890123456")) == ["200 /packed"])
    let request = try #require(site.lastRequest)
    #expect(request.body.map { String(buffer: $0) } == "1234567890123456")
    #expect(request.head.headers["content-encoding"] == [])
    #expect(request.head.headers["content-length"] == ["16"])
    // The connection goes on.
    try site.request("/b")
    #expect(try site.answers() == ["200 /b"])
  }

  @Test("is 413 if it becomes more than a body may be, and 400 if it is none")
  func refused() async throws {
    let site = try ScriptedSite()
    let much = try packed(String(repeating: "x", count: 65))
    #expect(try await ask(site, much) == ["413 /packed: The request body is larger than 64 bytes"])
    #expect(try await ask(site, Array("nonsense".utf8)) == ["400 /packed: The body is not gzip"])
    #expect(try await ask(site, Array(packed("text").dropLast())) == ["400 /packed: The body is not gzip"])
  }

  @Test("is 415 in another coding, but where a route reads it itself", arguments: ["br", "deflate", "gzip, gzip"])
  func unknown(_ coding: String) async throws {
    let site = try ScriptedSite()
    #expect(
      try await ask(site, coding: coding, [1]) == ["415 /packed: The body is coded in a way that is not known here"])
    #expect(try await ask(site, at: "/own-coding", coding: coding, [1]) == ["200 /own-coding"])
  }
}
