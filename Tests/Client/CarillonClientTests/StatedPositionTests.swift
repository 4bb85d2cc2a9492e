import Bayeux
import JSONEnvelope
import Testing

@testable import CarillonClient

/// Spec: GMS 4.5, 6.1.
@Suite("Chat, what it says of the events that have come", .timeLimit(.minutes(1)))
struct StatedPositionTests {
  @Test("each handshake, connect and disconnect states the last event; what comes again is dropped")
  func stated() async throws {
    let chat = CarillonChat(ChatConfiguration(server: ServerAddress(host: "127.0.0.1", port: 1), userKey: "key"))
    let transport = QuietTransport()
    await chat.accept(Self.message(1...3))
    await chat.begin(over: transport)
    var requests: [CometRequest] = []
    for await request in transport.sent {
      requests.append(request)
      if requests.count == 4 {
        try await chat.enterBackground()
        await chat.accept(Self.message(3...5))
        await chat.returnToForeground()
      }
      if requests.count == 9 { break }
    }
    let handshake = ConnectionType.ofApps.map(\.rawValue)
    func session(_ position: Int) -> [CometRequest] {
      [
        .handshake(supported: handshake, transcriptPosition: position),
        .subscribe(clientID: "c", channel: "/_genesys"),
        .connect(clientID: "c", type: "long-polling", isFirst: true, transcriptPosition: position),
        .connect(clientID: "c", type: "long-polling", isFirst: false, transcriptPosition: position),
      ]
    }
    let farewell = CometRequest.disconnect(clientID: "c", transcriptPosition: 3)
    #expect(requests == session(3) + [farewell] + session(5))
    await chat.abandon()
    var positions: [[Int]] = []
    for await message in chat.events { positions.append(message.events.map(\.position)) }
    #expect(positions == [[1, 2, 3], [4, 5]])
  }

  @Test("what a lost poll may have held is asked for: the server repeats it a few times only")
  func lostPoll() async throws {
    let chat = CarillonChat(ChatConfiguration(server: ServerAddress(host: "127.0.0.1", port: 1), userKey: "key"))
    let transport = QuietTransport(losesPolls: 1)
    await chat.begin(over: transport)
    var polls = 0
    for await case .connect(_, _, false, _) in transport.sent {
      polls += 1
      // The second is begun behind what follows from the first.
      if polls == 2 { break }
    }
    #expect(await chat.recovery != nil)
    #expect(await chat.recoveryCount == 1)
    await chat.abandon()
  }

  @Test("a poll that ends because the app leaves is none that was lost: nothing is asked for in the background")
  func left() async throws {
    let chat = CarillonChat(ChatConfiguration(server: ServerAddress(host: "127.0.0.1", port: 1), userKey: "key"))
    let transport = QuietTransport()
    await chat.begin(over: transport)
    for await case .connect(_, _, false, _) in transport.sent { break }
    try await chat.enterBackground()
    #expect(await chat.recoveryCount == 0)
    await chat.abandon()
  }

  @Test(
    "it stands in `ext`, as a text; a stream of support says nothing",
    arguments: [
      (.handshake(supported: [], transcriptPosition: 7), "7"),
      (.connect(clientID: "c", type: "long-polling", isFirst: false, transcriptPosition: 0), "0"),
      (.disconnect(clientID: "c", transcriptPosition: 12), "12"),
      (.connect(clientID: "c", type: "websocket", isFirst: true, transcriptPosition: nil), nil),
      (.subscribe(clientID: "c", channel: "/_genesys"), nil),
    ] as [(CometRequest, String?)])
  func written(request: CometRequest, position: String?) throws {
    let message = JSONWriter.object { request.write(id: "1", into: &$0) }
    let ext: JSONValue? = position.map { ["transcriptPosition": .string($0)] }
    #expect(try JSONValue(parsing: message)["ext"] == ext)
  }

  private static func message(_ range: ClosedRange<Int>) -> ChatEventMessage {
    let events = range.map {
      ChatEvent(position: $0, type: "Message.Text", nickname: "K", text: "\($0)", seconds: 0, party: "AGENT")
    }
    return ChatEventMessage(
      chatSessionID: "s", state: .transcript, position: range.upperBound, startedAt: "", events: events)
  }
}

extension CarillonChat {
  fileprivate func accept(_ message: ChatEventMessage) { accept(message, origin: .reply) }

  /// As if it had been started.
  func begin(over transport: any CometTransport) async {
    self.transport = transport
    phase = .foreground
    await connect()
  }
}

/// Takes every request, loses the first polls, and never answers the one that is held then.
private actor QuietTransport: CometTransport {
  nonisolated let type = ConnectionType.longPolling
  /// In order.
  nonisolated let sent: AsyncStream<CometRequest>
  private let continuation: AsyncStream<CometRequest>.Continuation
  private var pollsToLose: Int

  init(losesPolls count: Int = 0) {
    (sent, continuation) = AsyncStream.makeStream()
    pollsToLose = count
  }

  func exchange(_ requests: [CometRequest], timeout: Duration) async throws(ClientError) -> [CometMessage] {
    for request in requests { continuation.yield(request) }
    if case .connect(_, _, false, _)? = requests.last {
      if pollsToLose > 0 {
        pollsToLose -= 1
        throw .connectionClosed
      }
      try? await Task.sleep(for: timeout)
      throw .stopped
    }
    let replies = requests.map { #"{"channel":"\#($0.channel)","successful":true,"clientId":"c"}"# }
    return try CometMessage.messages(in: Array("[\(replies.joined(separator: ","))]".utf8))
  }

  func close() {}
}
