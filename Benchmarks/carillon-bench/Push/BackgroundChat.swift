import Bayeux
import ChatDomain
import Engine
import JSONEnvelope
import Synchronization

/// A chat whose customer was there over Comet and has put the app into the background, with a webhook for pushes.
enum BackgroundChat {
  /// - Returns: the chat's id for agents.
  static func make(_ engine: Engine, user: String, url: String) async throws -> String {
    let service = try await engine.chats.create(service: "request-chat", data: [])
    let chat = try await engine.chats.start(
      service,
      ChatStartRequest(
        userKey: user, notifiesByComet: true, nickname: "Customer", subject: "Order",
        pushTarget: PushTarget(type: "httpcb", deviceID: url)))
    let reply = try await ask(
      engine, user,
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1"}]"#)
    guard let clientID = reply.first?["clientId"]?.string else { throw BenchError("a handshake was refused") }
    for message in [
      #"[{"channel":"/meta/subscribe","clientId":"\#(clientID)","subscription":"/_genesys","id":"2"}]"#,
      #"[{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"long-polling","id":"3"}]"#,
      #"[{"channel":"/meta/disconnect","clientId":"\#(clientID)","ext":{"transcriptPosition":"1"},"id":"4"}]"#,
    ] {
      guard try await ask(engine, user, message).contains(where: { $0["successful"]?.bool == true }) else {
        throw BenchError("Comet refused: \(message)")
      }
    }
    return chat.chatSessionID
  }

  private static func ask(_ engine: Engine, _ user: String, _ json: String) async throws -> [JSONValue] {
    let messages = try BayeuxDecoder.decode(Array(json.utf8))
    let reply = await withCheckedContinuation { (continuation: CheckedContinuation<CometReply, Never>) in
      let sink = ReplySink(continuation, engine.comet)
      let exchange = engine.comet.open(sink, transport: .longPolling, userKey: user, browserID: nil)
      sink.attach(exchange)
      engine.comet.received(messages, on: exchange)
    }
    return try reply.messages.map { try JSONValue(parsing: $0) }
  }
}

/// Takes the one reply of a request.
private final class ReplySink: CometSink {
  private let state: Mutex<(continuation: CheckedContinuation<CometReply, Never>?, exchange: CometExchange?)>
  private let gateway: CometGateway

  init(_ continuation: CheckedContinuation<CometReply, Never>, _ gateway: CometGateway) {
    state = Mutex((continuation, nil))
    self.gateway = gateway
  }

  func attach(_ exchange: CometExchange) { state.withLock { $0.exchange = exchange } }

  func send(_ reply: CometReply) {
    let (continuation, exchange) = state.withLock { state in
      defer { state.continuation = nil }
      return (state.continuation, state.exchange)
    }
    if let exchange { gateway.written(exchange, success: true) }
    continuation?.resume(returning: reply)
  }
}
