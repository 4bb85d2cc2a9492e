import CallbackDomain
import ChatDomain
import Engine
import HTTPTypes
import JSONEnvelope
import Logging
import NetworkAddress
import TestSupport
import Testing

@testable import HTTPEdge

/// Sends one request in a connection of its own.
private func call(
  _ server: ServerHarness, _ method: String, _ path: String, _ body: String = "", headers: String = ""
) async throws -> RawClient.Response {
  let client = try await server.connect()
  let type = body.hasPrefix("{") || body.hasPrefix("[") ? "application/json" : "application/x-www-form-urlencoded"
  try await client.write(
    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Type: \(type)\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  let response = try await client.response()
  await client.close()
  return response
}

@Suite("The proven user on every surface", .timeLimit(.minutes(5)), .serialized)
struct IdentitySurfaceTests {
  private static let handshake =
    #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling","websocket"]}]"#

  /// All that a customer can ask for, as `/openapi.json` has it.
  private static let customersOperations = APIDocument.carillon.operations.filter {
    Surface(target: $0.path).namesUsers
  }

  private static func path(_ operation: APIOperation) -> String {
    operation.path.split(separator: "/").map { $0.hasPrefix("{") ? "/x" : "/\($0)" }.joined()
  }

  @Test("no operation takes a gms_user without proof, or another one than the token's, or a token that proves nobody")
  func refused() async throws {
    #expect(Self.customersOperations.count > 30)
    try await IdentityRig.run { rig in
      let token = try await rig.token(of: "A")
      let unsigned = try await rig.token(["sub": "A", "exp": "now+600"], key: "none")
      for operation in Self.customersOperations {
        let (method, path) = (operation.method.rawValue, Self.path(operation))
        for (headers, status) in [
          ("gms_user: A\r\n", 401), ("Authorization: Bearer \(unsigned)\r\n", 401),
          ("Authorization: Bearer \(token)\r\ngms_user: B\r\n", 403),
        ] {
          // A GET of the Comet endpoint is a socket's upgrade, which comes below.
          guard method != "GET" || !operation.path.hasPrefix("/genesys/cometd") else { continue }
          let body = method == "GET" ? "" : "[{}]"
          let response = try await call(rig.server, method, path, body, headers: headers)
          #expect(response.status == status, "\(method) \(path) with \(headers.prefix(24))")
        }
      }
    }
  }

  @Test("what was made with a token is found with a token of the same user, by no other and not without")
  func made() async throws {
    let options = ["service.callback-voice": ["_service": "callback"]]
    try await IdentityRig.run(options: options) { rig in
      let server = rig.server
      let a = "Authorization: Bearer \(try await rig.token(of: "A"))\r\n"
      let b = "Authorization: Bearer \(try await rig.token(of: "B"))\r\n"
      // Devices.
      let device = try await call(
        server, "POST", "/devices/1", "type=ios&identifier=\(String(repeating: "0a", count: 32))", headers: a)
      #expect(device.status == 201 && device.body.contains(#""owner":"A""#))
      #expect(try await call(server, "GET", "/devices/1", headers: a).body.contains(#""type":"ios""#))
      #expect(try await call(server, "GET", "/devices/1", headers: b).body == "[]")
      // Storage.
      #expect(try await call(server, "POST", "/genesys/1/storage/custom/mine/60", "k=v", headers: a).status == 200)
      #expect(try await call(server, "GET", "/genesys/1/storage/mine", headers: a).body == #"{"k":"v"}"#)
      #expect(try await call(server, "GET", "/genesys/1/storage/mine", headers: b).status == 404)
      #expect(try await call(server, "GET", "/genesys/1/storage/mine").status == 404)
      // Callbacks.
      let order = try await call(
        server, "POST", "/genesys/1/service/callback/callback-voice", #"{"_customer_number":"+1"}"#, headers: a)
      let callback = try #require(try JSONValue(parsing: order.body)["_id"]?.string)
      #expect(try await server.engine.callbacks.view(callback).request.userKey == "A")
      // A chat, and who hears of it.
      let made = try await call(server, "POST", "/genesys/1/service/request-chat")
      let service = try #require(try JSONValue(parsing: made.body)["_id"]?.string)
      let started = try await call(
        server, "POST", "/genesys/1/service/\(service)/ixn/chat", "notify_by=comet&firstName=Ann", headers: a)
      #expect(started.status == 200)
      let chat = try #require(try JSONValue(parsing: started.body)["chatSessionId"]?.string)
      _ = try await server.engine.agents.join(chat, agentID: "Kim", nickname: "Kim", role: .agent)
      for (headers, hears) in [(a, true), (b, false), ("", false)] {
        let id = try ServerHarness.clientID(
          in: try await call(server, "POST", "/genesys/cometd", Self.handshake, headers: headers).body)
        let heard = try await call(
          server, "POST", "/genesys/cometd",
          #"[{"channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/_genesys"},\#(server.connect(id).dropFirst())"#,
          headers: headers)
        #expect(heard.body.contains("chatSessionId") == hears, "\(heard.body)")
      }
      // Notifications over Comet.
      for (user, status) in [("A", 200), ("B", 403)] {
        let subscription =
          #"{"subscriberId":"s","filter":"*","notificationDetails":{"type":"comet","deviceId":"\#(user)"}}"#
        let answer = try await call(
          server, "POST", "/genesys/1/notification/subscription", subscription, headers: a)
        #expect(answer.status == status, "\(answer.body)")
      }
    }
  }

  @Test("a Comet session answers to its proven user alone, over long polling and over sockets")
  func sessions() async throws {
    try await IdentityRig.run { rig in
      let server = rig.server
      let a = "Authorization: Bearer \(try await rig.token(of: "A"))\r\n"
      let b = "Authorization: Bearer \(try await rig.token(of: "B"))\r\n"
      let id = try ServerHarness.clientID(
        in: try await call(server, "POST", "/genesys/cometd", Self.handshake, headers: a).body)
      for headers in [b, ""] {
        let polled = try await call(server, "POST", "/genesys/cometd", server.connect(id), headers: headers)
        #expect(polled.status == 200 && polled.body.contains("402::Unknown client"))
        let socket = try await SocketClient(server, headers: headers)
        #expect(try await socket.ask(server.connect(id)).contains("402::Unknown client"))
      }
      #expect(rig.lines("comet_other_user").count == 1)
      #expect(rig.lines("comet_other_user").first?.metadata["address"] == "127.0.0.1")
      let socket = try await SocketClient(server, headers: a)
      #expect(try await socket.ask(server.connect(id)).contains(#""successful":true"#))
    }
  }

  @Test("what a message says of its user counts for nothing, unless it brings the token itself")
  func inBand() async throws {
    try await IdentityRig.run { rig in
      let server = rig.server
      let token = try await rig.token(of: "A")
      func shake(_ ext: String) -> String { Self.handshake.replacing("}]", with: #","ext":{\#(ext)}}]"#) }
      let proven = "Authorization: Bearer \(token)\r\n"
      for (headers, ext, answer) in [
        ("", #""gms_user":"A""#, "403:gms_user:not_proven"), (proven, #""gms_user":"B""#, "403:gms_user:not_proven"),
        (proven, #""gms_user":"A""#, #""successful":true"#), ("", #""gms_token":"\#(token)""#, #""successful":true"#),
        ("", #""gms_token":"\#(token)","gms_user":"B""#, "403:gms_user:not_proven"),
        ("", #""gms_token":"\#(token)","gms_user":"A""#, #""successful":true"#),
      ] {
        let polled = try await call(server, "POST", "/genesys/cometd", shake(ext), headers: headers)
        #expect(polled.body.contains(answer), "\(polled.body)")
        let socket = try await SocketClient(server, headers: headers)
        #expect(try await socket.ask(shake(ext)).contains(answer))
      }
      let bad = shake(#""gms_token":"a.b.c""#)
      #expect(try await call(server, "POST", "/genesys/cometd", bad).status == 401)
      let socket = try await SocketClient(server)
      #expect(try await socket.ask(bad).contains("401:gms_token:refused"))
      // The socket may try again, and is then that user's.
      let id = try ServerHarness.clientID(in: try await socket.ask(shake(#""gms_token":"\#(token)""#)))
      #expect(try await socket.ask(server.connect(id)).contains(#""successful":true"#))
      let other = try await SocketClient(server)
      #expect(try await other.ask(server.connect(id)).contains("402::Unknown client"))
      let connect =
        #"[{"channel":"/meta/connect","clientId":"\#(id)","connectionType":"websocket","advice":{"timeout":0},"#
        + #""ext":{"gms_token":"\#(token)"}}]"#
      #expect(try await other.ask(connect).contains(#""successful":true"#))
    }
  }

  @Test("the key made for one callback alone passes without proof, and opens that callback's chat alone")
  func guest() async throws {
    let options = ["service.callback-voice": ["_service": "callback", "_media_type": "chat"]]
    try await IdentityRig.run(options: options) { rig in
      let server = rig.server
      func post(_ path: String, _ body: String = "", _ headers: String = "") async throws -> RawClient.Response {
        try await call(server, "POST", "/genesys/1/service/\(path)", body, headers: headers)
      }
      func start(_ id: String, _ headers: String) async throws -> Int {
        try await post("\(id)/ixn/chat", #"{"notify_by":"comet","nickname":"Guest"}"#, headers).status
      }
      func send(_ id: String, _ headers: String) async throws -> Int {
        try await post("\(id)/ixn/chat/send", #"{"message":"x"}"#, headers).status
      }
      let a = "Authorization: Bearer \(try await rig.token(of: "A"))\r\n"
      let order = try await post("callback/callback-voice", #"{"_customer_number":"+1"}"#, a)
      let id = try #require(try JSONValue(parsing: order.body)["_id"]?.string)
      let made = try await post("request-chat", "", a)
      let other = try #require(try JSONValue(parsing: made.body)["_id"]?.string)
      #expect(try await start(other, a) == 200)
      // An app that comes from a push has nothing but the id.
      let dialog = try await post("\(id)/get-dialog-start-chat")
      let key = try #require(try JSONValue(parsing: dialog.body)["_user_header"]?.string)
      let guest = "gms_user: \(key)\r\n"
      #expect(key != "A")
      #expect(try await start(id, "gms_user: \(key)x\r\n") == 401)
      #expect(try await start(id, guest) == 200)
      for headers in [guest, a, a + guest] { #expect(try await send(id, headers) == 200) }
      #expect(try await send(other, guest) == 404)
      #expect(try await call(server, "GET", "/genesys/1/service/\(other)/storage", headers: guest).status == 404)
      #expect(rig.lines("user_other").isEmpty)
      // Pages cannot set headers on a socket: there a message brings it.
      let socket = try await SocketClient(server)
      let shaken = try await socket.ask(Self.handshake.replacing("}]", with: #","ext":{"gms_user":"\#(key)"}}]"#))
      let session = try ServerHarness.clientID(in: shaken)
      #expect(try await socket.ask(server.connect(session)).contains(#""successful":true"#))
      let polled = try await call(server, "POST", "/genesys/cometd", server.connect(session))
      #expect(polled.body.contains("402::Unknown client"))
    }
  }

  @Test("a socket does not outlive its token")
  func expiry() async throws {
    try await IdentityRig.run { rig in
      let socket = try await SocketClient(
        rig.server, headers: "Authorization: Bearer \(try await rig.token(of: "A"))\r\n")
      _ = try await socket.ask(Self.handshake)
      rig.setAhead(seconds: 700)
      try await socket.say(Self.handshake)
      #expect(try await socket.closeCode() == 1008)
    }
  }
}

@Suite("Users whom a proxy has found", .timeLimit(.minutes(2)))
struct ProxiedUserTests {
  private static func run(
    header: String = "gms_user", trusted: String = "127.0.0.0/8", options: [String: [String: String]] = [:],
    _ body: (ServerHarness, HeardLog) async throws -> Void
  ) async throws {
    let heard = HeardLog()
    let network = try #require(AddressBlock(trusted))
    try await ServerHarness.run(
      options: options,
      configure: { edge in
        edge.identity = .proxyHeader(header)
        edge.proxies = TrustedProxies([network])
      }, logger: heard.logger
    ) { try await body($0, heard) }
  }

  @Test(
    "the header counts from a trusted proxy, once",
    arguments: [
      ("gms_user", "gms_user: A\r\n", 200), ("gms_user", "GMS_USER: A\r\n", 200), ("gms_user", "", 400),
      ("gms_user", "gms_user: A\r\ngms_user: B\r\n", 400), ("gms_user", "gms_user: A\r\nX-User: B\r\n", 200),
      ("x-user", "X-User: A\r\n", 200), ("x-user", "X-User: A\r\ngms_user: A\r\n", 200),
      ("x-user", "X-User: A\r\ngms_user: B\r\n", 403), ("x-user", "gms_user: A\r\n", 403),
      ("x-user", "X-User: A\r\nX-User: A\r\n", 400), ("x-user", "X-User: support/1\r\n", 400), ("x-user", "", 400),
    ])
  func trusted(header: String, headers: String, status: Int) async throws {
    try await Self.run(header: header) { server, heard in
      let response = try await call(server, "GET", "/devices/1", headers: headers)
      #expect(response.status == status)
      let lines = heard.lines.filter { $0.metadata["kind"] == "user_other" }
      #expect(lines.count == (status == 403 ? 1 : 0))
    }
  }

  @Test("from any other address it is refused, with one line in the log", arguments: ["gms_user", "x-user"])
  func untrusted(header: String) async throws {
    try await Self.run(header: header, trusted: "10.0.0.0/8") { server, heard in
      for headers in ["\(header): A\r\n", "gms_user: A\r\n", "\(header): A\r\nX-Forwarded-For: 10.0.0.1\r\n"] {
        for (method, path) in [("GET", "/devices/1"), ("POST", "/genesys/cometd"), ("POST", "/genesys/1/storage/60")] {
          #expect(try await call(server, method, path, "[{}]", headers: headers).status == 403, "\(method) \(path)")
        }
      }
      let lines = heard.lines.filter { $0.metadata["kind"] == "user_untrusted_proxy" }
      #expect(lines.map(\.metadata) == [["kind": "user_untrusted_proxy", "address": "127.0.0.1"]])
      // Nobody's requests are as ever.
      #expect(try await call(server, "POST", "/genesys/1/service/request-chat").status == 200)
      let socket = try await SocketClient(server, headers: "\(header): A\r\n", expecting: 403)
      _ = socket
    }
  }

  @Test("the key made for one callback alone counts from anywhere", arguments: ["gms_user", "x-user"])
  func guest(header: String) async throws {
    let options = ["service.callback-voice": ["_service": "callback", "_media_type": "chat"]]
    try await Self.run(header: header, trusted: "10.0.0.0/8", options: options) { server, _ in
      func post(_ path: String, _ body: String = "", _ headers: String = "") async throws -> RawClient.Response {
        try await call(server, "POST", "/genesys/1/service/\(path)", body, headers: headers)
      }
      let order = try await post("callback/callback-voice", #"{"_customer_number":"+1"}"#)
      let id = try #require(try JSONValue(parsing: order.body)["_id"]?.string)
      let dialog = try await post("\(id)/get-dialog-start-chat")
      let key = try #require(try JSONValue(parsing: dialog.body)["_user_header"]?.string)
      let start = #"{"nickname":"Guest"}"#
      #expect(try await post("\(id)/ixn/chat", start, "gms_user: \(key)x\r\n").status == 403)
      #expect(try await post("\(id)/ixn/chat", start, "gms_user: \(key)\r\n").status == 200)
    }
  }

  @Test("a message cannot name somebody else than the proxy has")
  func inBand() async throws {
    try await Self.run { server, _ in
      let handshake =
        #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"ext":{"gms_user":"B"}}]"#
      let refused = try await call(server, "POST", "/genesys/cometd", handshake, headers: "gms_user: A\r\n")
      #expect(refused.body.contains("403:gms_user:not_proven"))
    }
  }
}

@Suite("An open server", .timeLimit(.minutes(2)))
struct OpenIdentityTests {
  @Test("says so at its start")
  func announced() async throws {
    let heard = HeardLog()
    try await ServerHarness.run(logger: heard.logger) { _ in
      #expect(heard.lines.contains { $0.level == .notice && $0.message.hasPrefix("identity is open") })
    }
  }

  @Test("takes whom a request names, once")
  func twice() async throws {
    try await ServerHarness.run { server in
      #expect(try await call(server, "GET", "/devices/1", headers: "gms_user: A\r\n").status == 200)
      for path in ["/devices/1", "/genesys/1/storage/x"] {
        let twice = try await call(server, "GET", path, headers: "gms_user: A\r\ngms_user: B\r\n")
        #expect(twice.status == 400 && twice.body.contains("more than once"))
      }
      #expect(
        try await call(server, "POST", "/genesys/cometd", "[{}]", headers: "gms_user: A\r\ngms_user: A\r\n").status
          == 400)
    }
  }
}

/// A WebSocket of the Comet endpoint in the test's hands.
private struct SocketClient {
  private let client: RawClient

  init(_ server: ServerHarness, headers: String = "", expecting status: Int = 101) async throws {
    client = try await server.connect()
    try await client.get(
      "/genesys/cometd",
      headers: "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + headers)
    #expect(try await client.response(withoutBody: status == 101).status == status)
  }

  func say(_ text: String) async throws {
    let (mask, bytes): ([UInt8], [UInt8]) = ([1, 2, 3, 4], Array(text.utf8))
    let length: [UInt8] =
      bytes.count < 126 ? [0x80 | UInt8(bytes.count)] : [0xFE, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
    try await client.write([0x81] + length + mask + bytes.enumerated().map { $1 ^ mask[$0 % 4] })
  }

  /// The text of the next frame.
  func ask(_ text: String) async throws -> String {
    try await say(text)
    return String(decoding: try await frame().payload, as: UTF8.self)
  }

  func closeCode() async throws -> Int {
    let (opcode, payload) = try await frame()
    #expect(opcode == 8)
    return Int(payload[0]) << 8 | Int(payload[1])
  }

  private func frame() async throws -> (opcode: UInt8, payload: [UInt8]) {
    let start = try await client.bytes(count: 2)
    var length = Int(start[1])
    if length == 126 {
      let bytes = try await client.bytes(count: 2)
      length = Int(bytes[0]) << 8 | Int(bytes[1])
    }
    return (start[0] & 15, length == 0 ? [] : try await client.bytes(count: length))
  }
}
