import Bayeux
import CarillonClient
import Engine
import Testing

@testable import HTTPEdge

/// The client library's streams against a whole server. Spec: support requests 6.2.
@Suite("Live events of support requests at the Comet endpoint", .timeLimit(.minutes(2)))
struct SupportStreamEndpointTests {
  static let options = ["support.app.shop": ["integration": "none"]]
  static let handshake = #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}]"#

  private func configuration(_ server: ServerHarness, _ transport: ConnectionType) -> SupportConfiguration {
    var configuration = SupportConfiguration(
      server: ServerAddress(host: "127.0.0.1", port: server.port), app: "shop")
    configuration.transport = transport
    return configuration
  }

  @Test(
    "come to whoever has opened a stream with an access token, and what it acknowledges is judged",
    arguments: [ConnectionType.longPolling, .webSocket])
  func stream(transport: ConnectionType) async throws {
    // The pair of the server is for apps that have no token.
    let options = Self.options.merging(["server": ["username": "u", "password": "p"]]) { $1 }
    try await ServerHarness.run(options: options) { server in
      let support = SupportClient(configuration(server, transport))
      try await support.signIn(guid: "guid-ann", name: "Ann")
      try await support.registerDevice("<AB cd>", type: .ios)
      let request = try await support.create(subject: "Order 81", text: "Where is it?").id
      let agent = AgentClient(
        ServerAddress(host: "127.0.0.1", port: server.port),
        token: try server.tokens.create(name: "anna", role: .agent))
      let stream = try await support.stream(of: request)
      try await agent.comment("Note", onTicket: request, isPublic: false)
      try await agent.comment("It left today.", onTicket: request)
      var events = stream.events.makeAsyncIterator()
      let event = try #require(await events.next())
      #expect(event.request == request && event.comment == request * 10_000 + 3)
      #expect(try await support.comments(of: request).last?.id == event.comment)
      try await stream.acknowledge(event, on: "abcd")
      await #expect(throws: ClientError.unsuccessful(channel: "/support/requests/1", error: "404::unknown_device")) {
        try await stream.acknowledge(event, on: "another")
      }
      await stream.close()
      #expect(await events.next() == nil)
      agent.shutDown()
      await support.shutDown()
    }
  }

  @Test("are refused, for good, to a token that opens nothing", arguments: [ConnectionType.longPolling, .webSocket])
  func unknown(transport: ConnectionType) async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let support = SupportClient(configuration(server, transport), accessToken: "car_nothing")
      await #expect(throws: ClientError.unsuccessful(channel: "/meta/handshake", error: "401::unknown_token")) {
        _ = try await support.stream()
      }
      await support.shutDown()
    }
  }

  @Test("an Authorization of another kind is none of ours: the session is as any other")
  func otherKinds() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let client = try await server.connect()
      for authorization in ["Basic dTpw", "Bearer", "Digest x"] {
        try await client.post(
          "/genesys/cometd", Self.handshake, headers: "Authorization: \(authorization)\r\ngms_user: u1\r\n")
        let response = try await client.response()
        #expect(response.status == 200 && response.body.contains(#""successful":true"#), "\(authorization)")
      }
    }
  }

  @Test("cannot be had by a gms_user that passes for the key of an access token")
  func reserved() async throws {
    try await ServerHarness.run(options: Self.options) { server in
      let upgrade =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\ngms_user: support/1\r\n"
      let client = try await server.connect()
      try await client.post("/genesys/cometd", Self.handshake, headers: "gms_user: support/1\r\n")
      let polled = try await client.response()
      #expect(polled.status == 400 && polled.body.contains("gms_user"))
      try await client.get("/genesys/cometd", headers: upgrade)
      #expect(try await client.response().status == 400)
      // Nor can a chat be tied to it.
      let chat = try await server.connect()
      try await chat.post("/genesys/1/service/request-chat", "")
      #expect(try await chat.response().status == 200)
      try await chat.post("/genesys/1/service/callback/x", "{}", headers: "gms_user: support/1\r\n")
      #expect(try await chat.response().status == 400)
    }
  }
}
