import Bayeux
import JSONEnvelope
import Testing

/// From the bytes of a request to the bytes of its response, with the least of a server around the machine.
@Suite("Conversations, as they were seen on the wire")
struct TranscriptTests {
  @Test("a chat client of the stock kind")
  func stock() throws {
    var server = SmallServer()
    #expect(
      try server.post(
        1, #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1"}]"#)
        == [
          1: [
            [
              "channel": "/meta/handshake", "id": "1", "successful": true, "clientId": "c1", "version": "1.0",
              "minimumVersion": "1.0", "supportedConnectionTypes": ["long-polling", "websocket"],
              "advice": ["reconnect": "retry", "interval": 0, "timeout": 30_000],
            ]
          ]
        ])
    #expect(
      try server.post(2, connect("2", #","advice":{"timeout":0}"#)) == [
        2: [
          [
            "channel": "/meta/connect", "id": "2", "successful": true,
            "advice": ["reconnect": "retry", "interval": 0, "timeout": 30_000],
          ]
        ]
      ])
    #expect(
      try server.post(3, #"[{"id":"3","channel":"/meta/subscribe","clientId":"c1","subscription":"/_genesys"}]"#) == [
        3: [
          [
            "id": "3", "channel": "/meta/subscribe", "clientId": "c1", "subscription": "/_genesys", "successful": true,
          ]
        ]
      ])
    #expect(try server.post(4, connect("4")) == [:])
    #expect(
      try server.publish("hello") == [
        4: [
          ["channel": "/_genesys", "data": "hello"], ["channel": "/meta/connect", "id": "4", "successful": true],
        ]
      ])
    #expect(try server.post(6, connect("6")) == [:])
    #expect(
      try server.post(5, #"[{"id":"5","channel":"/chat/x","clientId":"c1","data":"mine"}]"#) == [
        5: [["id": "5", "channel": "/chat/x", "successful": false, "error": "403::publish_denied"]]
      ])
    #expect(
      try server.post(7, #"[{"id":"7","channel":"/meta/disconnect","clientId":"c1","transcriptPosition":"4"}]"#) == [
        6: [["channel": "/meta/connect", "id": "6", "successful": true, "advice": ["reconnect": "none"]]],
        7: [["channel": "/meta/disconnect", "id": "7", "clientId": "c1", "successful": true]],
      ])
    #expect(server.position == 4)
    #expect(
      try server.post(8, connect("8")) == [
        8: [
          [
            "channel": "/meta/connect", "id": "8", "successful": false, "error": "402::Unknown client",
            "advice": ["reconnect": "handshake", "interval": 0],
          ]
        ]
      ])
  }

  @Test("a native client that sends no id with its polls, bare messages, and everything to one address")
  func native() throws {
    var server = SmallServer()
    _ = try server.post(
      1, #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1"}"#)
    let advised: JSONValue = [
      "channel": "/meta/connect", "successful": true,
      "advice": ["reconnect": "retry", "interval": 0, "timeout": 30_000],
    ]
    #expect(
      try server.post(
        2, #"{"channel":"/meta/connect","clientId":"c1","connectionType":"long-polling","advice":{"timeout":0}}"#)
        == [2: [advised]])
    #expect(try server.post(3, #"{"channel":"/meta/connect","clientId":"c1","connectionType":"long-polling"}"#) == [:])
    // A second request while the poll is held.
    let subscribed = try server.post(
      4, #"{"id":"2","channel":"/meta/subscribe","clientId":"c1","subscription":"/_genesys"}"#)
    #expect(subscribed[4]?[0]?["successful"] == true && subscribed.count == 1)
    #expect(server.session?.isHolding == true)
    // In the background: the position within `ext`.
    _ = try server.post(
      5, #"{"id":"3","channel":"/meta/disconnect","clientId":"c1","ext":{"transcriptPosition":"7"}}"#)
    #expect(server.position == 7)
  }

  @Test("a client that subscribes in one request with its connect sees that reply, the catch-up, the connect reply")
  func subscribeWithConnect() throws {
    var server = SmallServer()
    _ = try server.post(1, #"[{"channel":"/meta/handshake","supportedConnectionTypes":["long-polling"]}]"#)
    _ = try server.post(2, connect("2"))
    server.backlog = ["missed"]
    let response = try server.post(
      3,
      #"[{"id":"3","channel":"/meta/subscribe","clientId":"c1","subscription":"/_genesys"},"#
        + #"{"id":"4","channel":"/meta/connect","clientId":"c1","connectionType":"long-polling"}]"#
    )
    #expect(response.count == 1)
    #expect(response[3]?[0]?["id"] == "3")
    #expect(response[3]?[1] == ["channel": "/_genesys", "data": "missed"])
    #expect(response[3]?[2]?["id"] == "4")
  }

  @Test("messages that say too little are answered with what is missing")
  func errors() throws {
    var server = SmallServer()
    _ = try server.post(1, #"[{"channel":"/meta/handshake","supportedConnectionTypes":["long-polling"]}]"#)
    let response = try server.post(
      2, #"[{"id":"2","clientId":"c1"},{"id":"3","channel":"/meta/subscribe","clientId":"c1"}]"#)
    #expect(
      response[2] == [
        ["id": "2", "successful": false, "error": "400::channel_missing"],
        [
          "id": "3", "channel": "/meta/subscribe", "clientId": "c1", "successful": false,
          "error": "403::subscription_missing",
        ],
      ])
    let refused = try server.post(3, #"[{"channel":"/meta/handshake","supportedConnectionTypes":["flash"]}]"#)
    #expect(refused[3]?[0]?["error"] == "301:flash:Connection types not supported")
  }

  func connect(_ id: String, _ more: String = "") -> String {
    #"[{"channel":"/meta/connect","clientId":"c1","connectionType":"long-polling","id":"\#(id)"\#(more)}]"#
  }
}

/// One client's server: routes messages to replies as an engine would, and reports responses written at once.
struct SmallServer {
  var session: BayeuxSession?
  let policy = ChannelPolicy()
  var position: Int?
  /// Sent once the client is subscribed.
  var backlog: [String] = []

  mutating func post(_ exchange: UInt64, _ body: String) throws -> [UInt64: JSONValue] {
    var replies: [SessionReply] = []
    var isDisconnect = false
    for message in try BayeuxDecoder.decode(Array(body.utf8)) {
      switch message.channel {
      case ChannelName.handshake:
        guard message.supportedConnectionTypes?.contains("long-polling") == true else {
          replies.append(
            .ready(
              BayeuxReply.handshakeRefused(
                id: message.id, offered: message.supportedConnectionTypes ?? [], connectionTypes: [.longPolling])))
          continue
        }
        session = BayeuxSession(clientID: "c1", settings: SessionSettings(), acknowledges: false)
        _ = session?.handshaken()
        let reply = BayeuxReply.handshakeSucceeded(
          id: message.id, clientID: "c1", connectionTypes: [.longPolling, .webSocket], timeoutMilliseconds: 30_000,
          acknowledges: false)
        return [exchange: [try JSONValue(parsing: reply)]]
      case nil: replies.append(.ready(BayeuxReply.failure(to: message, error: .channelMissing)))
      case _ where session == nil: replies.append(.ready(BayeuxReply.unknownClient(to: message)))
      case ChannelName.connect: replies.append(.connect(ConnectRequest(message)))
      case ChannelName.subscribe:
        let outcome = policy.subscribe(message)
        replies.append(.ready(BayeuxReply.subscription(to: message, clientID: "c1", error: outcome.error)))
        let missed = backlog.map(event)
        _ = session?.received(.deliver(missed))
        backlog = []
      case ChannelName.disconnect:
        isDisconnect = true
        position = message.transcriptPosition
        replies.append(.ready(BayeuxReply.disconnected(id: message.id, clientID: "c1")))
      case let channel?:
        replies.append(.ready(BayeuxReply.failure(to: message, error: policy.refusalOfPublish(to: channel))))
      }
    }
    let id = ExchangeID(rawValue: exchange)
    guard session != nil else { return [exchange: try array(replies.map(bytes))] }
    return try perform(
      isDisconnect
        ? .disconnect(exchange: id, transport: .longPolling, replies: replies)
        : .request(exchange: id, transport: .longPolling, replies: replies))
  }

  mutating func publish(_ text: String) throws -> [UInt64: JSONValue] { try perform(.deliver([event(text)])) }

  private func event(_ text: String) -> QueuedMessage {
    QueuedMessage(bytes: BayeuxEvent.message(channel: "/_genesys", data: JSONValue.string(text).text), mark: nil)
  }

  private mutating func perform(_ input: SessionInput) throws -> [UInt64: JSONValue] {
    var responses: [UInt64: JSONValue] = [:]
    let actions = session?.received(input) ?? []
    for action in actions {
      switch action {
      case .respond(let exchange, let messages):
        responses[exchange.rawValue] = try array(messages)
        _ = session?.received(.written(exchange, success: true))
      case .ended: session = nil
      case .arm, .disarm, .delivered, .sendOff: break
      }
    }
    return responses
  }

  private func array(_ messages: [[UInt8]]) throws -> JSONValue {
    .array(try messages.map { try JSONValue(parsing: $0) })
  }

  private func bytes(_ reply: SessionReply) -> [UInt8] {
    switch reply {
    case .ready(let bytes): bytes
    case .connect: []
    }
  }
}
