import Foundation
import NIOCore
import NIOWebSocket
import ServiceLifecycle
import Testing

@testable import HTTPEdge

@Suite("Comet over WebSocket", .timeLimit(.minutes(5)))
struct CometWebSocketTests {
  private static let request =
    "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
  private static let handshake =
    #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["websocket"],"id":"1"}]"#

  private func upgraded(_ server: ServerHarness) async throws -> RawClient {
    let client = try await server.connect()
    try await client.get("/genesys/cometd", headers: Self.request)
    let response = try await client.response(withoutBody: true)
    #expect(response.status == 101)
    #expect(response.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    return client
  }

  /// A client's frame, masked.
  private func frame(_ opcode: UInt8, _ payload: [UInt8], fin: Bool = true) -> [UInt8] {
    let mask: [UInt8] = [1, 2, 3, 4]
    let length: [UInt8] =
      payload.count < 126
      ? [0x80 | UInt8(payload.count)] : [0xFE, UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
    return [(fin ? 0x80 : 0) | opcode] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

  /// The server's next frame.
  private func read(_ client: RawClient) async throws -> (opcode: UInt8, payload: [UInt8]) {
    let start = try await client.bytes(count: 2)
    var length = Int(start[1])
    if length == 126 {
      let bytes = try await client.bytes(count: 2)
      length = Int(bytes[0]) << 8 | Int(bytes[1])
    }
    return (start[0] & 15, length == 0 ? [] : try await client.bytes(count: length))
  }

  private func closeCode(_ client: RawClient) async throws -> Int {
    let (opcode, payload) = try await read(client)
    #expect(opcode == 8)
    return Int(payload[0]) << 8 | Int(payload[1])
  }

  @Test("a session is shaken, in one frame or in fragments, and pings are answered")
  func session() async throws {
    try await ServerHarness.run { server in
      let client = try await upgraded(server)
      try await client.write(text(Self.handshake))
      let whole = try await read(client)
      #expect(whole.opcode == 1)
      #expect(String(decoding: whole.payload, as: UTF8.self).contains(#""successful":true"#))
      let bytes = Array(Self.handshake.utf8)
      try await client.write(
        frame(1, Array(bytes[..<20]), fin: false) + frame(9, [7]) + frame(0, Array(bytes[20...])))
      let pong = try await read(client)
      #expect(pong.opcode == 10 && pong.payload == [7])
      #expect(try await read(client).opcode == 1)
      try await client.write(frame(8, [3, 232]))
      #expect(try await closeCode(client) == 1000)
      try await client.closure()
    }
  }

  @Test(
    "what a socket was written, and may not have brought, comes again; what it brought does not",
    arguments: [(true, true), (false, false)])
  func arrival(isReset: Bool, comesAgain: Bool) async throws {
    try await ServerHarness.run { server in
      let user = "gms_user: user\r\n"
      let rest = try await server.connect()
      try await rest.post("/genesys/1/service/request-chat", "", headers: user)
      let serviceID = try #require(try await rest.response().body.split(separator: "\"").dropFirst(3).first)
      let chat = "/genesys/1/service/\(serviceID)/ixn/chat"
      try await rest.post(chat, #"{"notify_by":"comet","nickname":"Guest 7"}"#, headers: user)
      _ = try await rest.response()
      func say(_ text: String) async throws {
        try await rest.post(chat + "/send", #"{"message":"\#(text)"}"#, headers: user)
        #expect(try await rest.response().status == 200)
      }
      let clientID = try await server.cometSession(try await server.connect())
      let socket = try await server.connect()
      try await socket.get("/genesys/cometd", headers: Self.request + user)
      #expect(try await socket.response(withoutBody: true).status == 101)
      // The first connect of a session over a new transport is answered at once, the next one is held.
      let connect =
        #"[{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"websocket","advice":{"timeout":"#
      try await socket.write(text(connect + "0}}]"))
      _ = try await read(socket)
      try await socket.write(text(connect + "60000}}]"))
      try await say("hello")
      while !String(decoding: try await read(socket).payload, as: UTF8.self).contains("hello") {}
      if isReset {
        try await socket.reset()
      } else {
        try await socket.write(frame(8, [3, 232]))
        #expect(try await closeCode(socket) == 1000)
        try await socket.closure()
      }
      let other = try await server.connect()
      try await other.post("/genesys/cometd/connect", server.connect(clientID), headers: user)
      try await say("next")
      var answer = try await other.response().body
      if comesAgain, !answer.contains("hello") {
        // "next" was there before the reset was noticed.
        try await other.post("/genesys/cometd/connect", server.connect(clientID), headers: user)
        answer = try await other.response().body
      }
      #expect(answer.contains("hello") == comesAgain, "\(answer)")
      #expect(comesAgain || answer.contains("next"))
    }
  }

  @Test("a frame that comes with the upgrade request is not lost")
  func eager() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.write(
        Array("GET /genesys/cometd HTTP/1.1\r\nHost: x\r\n\(Self.request)\r\n".utf8) + text(Self.handshake))
      #expect(try await client.response(withoutBody: true).status == 101)
      #expect(try await read(client).opcode == 1)
    }
  }

  @Test("what a client must not send closes the socket with its code")
  func violations() async throws {
    var limits = EdgeLimits()
    limits.webSocketMessageBytesMaximum = 1_000
    try await ServerHarness.run(limits: limits) { server in
      let cases: [([UInt8], Int)] = [
        (text("nonsense"), 1011), (text("[]"), 1011), (frame(1, [0x5B, 0x22, 0xFF, 0x22, 0x5D]), 1007),
        (frame(2, [1]), 1003), (frame(1, Array(repeating: 32, count: 1_001)), 1009), ([0x81, 0x00], 1002),
        ([0xC1, 0x80, 1, 2, 3, 4], 1002), (frame(9, [1], fin: false), 1002), (frame(8, [0]), 1002),
        (frame(8, [0x03, 0xED]), 1002), (frame(8, [3, 232, 0xFF]), 1007),
      ]
      for (bytes, code) in cases {
        let client = try await upgraded(server)
        try await client.write(bytes)
        #expect(try await closeCode(client) == code, "\(bytes.prefix(8))")
        await client.close()
      }
    }
  }

  @Test("a bad handshake is refused as HTTP")
  func badHandshakes() async throws {
    try await ServerHarness.run { server in
      for (headers, status) in [
        (Self.request.replacing("13", with: "8"), 426), (Self.request.replacing("dGhl", with: "eA"), 400),
        (Self.request.replacing("Upgrade: websocket", with: "Upgrade: h2c"), 400),
        (Self.request + "gms_user: a\u{7F}\r\n", 400),
      ] {
        let client = try await server.connect()
        try await client.get("/genesys/cometd", headers: headers)
        #expect(try await client.response().status == status)
        await client.close()
      }
    }
  }

  @Test("a page of an origin that is not listed gets no socket and no CORS headers")
  func origins() async throws {
    try await ServerHarness.run(origins: .listed(["https://shop.test"])) { server in
      for (headers, status) in [
        ("Origin: https://evil.test\r\n", 403), ("Origin: https://shop.test\r\n", 101), ("", 101),
        // RawClient calls the server that.
        ("Origin: http://localhost\r\n", 101),
      ] {
        let client = try await server.connect()
        try await client.get("/genesys/cometd", headers: Self.request + headers)
        let response = try await client.response()
        #expect(response.status == status)
        #expect(response.header("Access-Control-Allow-Origin") == nil)
        await client.close()
      }
    }
  }

  @Test("a stop is one farewell and close code 1001, however fast the client asks again", arguments: [true, false])
  func stopping(_ holds: Bool) async throws {
    try await ServerHarness.run { server in
      let client = try await upgraded(server)
      try await client.write(text(Self.handshake))
      let reply = String(decoding: try await read(client).payload, as: UTF8.self)
      let connect = text(
        #"[{"channel":"/meta/connect","clientId":"\#(try ServerHarness.clientID(in: reply))","connectionType":"websocket"}]"#
      )
      try await client.write(connect)
      #expect(try await read(client).opcode == 1)
      if holds {
        // A pong comes behind the connect: it is held by then, or will be before the stop.
        try await client.write(connect + frame(9, [1]))
        #expect(try await read(client).opcode == 10)
      }
      await server.services.triggerGracefulShutdown()
      var answers: [String] = []
      while true {
        let (opcode, payload) = try await read(client)
        guard opcode == 1 else {
          #expect(opcode == 8 && payload == [3, 233])
          break
        }
        answers.append(String(decoding: payload, as: UTF8.self))
        try await client.write(connect)
      }
      #expect(answers.count <= 1)
      if let answer = answers.first { #expect(answer.contains(#""reconnect":"retry""#)) }
      try await client.write(frame(8, [3, 233]))
      try await client.closure()
    }
  }

  @Test("so is a stop for a socket that never shook hands")
  func stoppingEarly() async throws {
    try await ServerHarness.run { server in
      let client = try await upgraded(server)
      await server.services.triggerGracefulShutdown()
      #expect(try await closeCode(client) == 1001)
    }
  }

  @Test("a batch above the bound is refused message by message, and the socket stays")
  func batchTooLarge() async throws {
    try await ServerHarness.run { server in
      let client = try await upgraded(server)
      let messages = (1...65).map { #"{"channel":"/meta/connect","clientId":"x","id":\#($0)}"# }
      try await client.write(text("[" + messages.joined(separator: ",") + "]"))
      let answer = String(decoding: try await read(client).payload, as: UTF8.self)
      #expect(answer.components(separatedBy: "413:64:batch_too_large").count == 66)
      try await client.write(text(Self.handshake))
      #expect(String(decoding: try await read(client).payload, as: UTF8.self).contains(#""successful":true"#))
    }
  }

  @Test("a silent peer is pinged, and dropped if it stays silent")
  func silence() async throws {
    var limits = EdgeLimits()
    limits.webSocketPingInterval = .milliseconds(10)
    try await ServerHarness.run(limits: limits) { server in
      let client = try await upgraded(server)
      #expect(try await read(client).opcode == 9)
      try await client.closure()
    }
  }
}
