import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import MessagingEngine

/// What happens to messages, as server-sent events: with an operator's token, or with a sender's own key, which hears
/// of its own messages only.
///
/// Each event is named for the step (`accepted`, `stored`, …); its data is JSON without what the message says.
/// Spec: HTML, server-sent events.
struct MessageStreamRoutes {
  let tap: MessageTap
  let tokens: TokenStore

  func follow(_ request: Request) throws -> Response {
    let query = try ListQuery.known(request, ["sender", "message", "app"])
    var filter = MessageTapFilter(sender: query["sender"], messageID: query["message"], app: query["app"])
    let isPermitted: @Sendable () -> Bool
    let authorization = request.headers[.authorization]
    if let own = tokens.sender(authorization: authorization) {
      guard filter.sender.map({ $0 == own.sender }) ?? true else {
        throw EdgeFailure.forbidden("A sender's key opens its own messages only")
      }
      filter.sender = own.sender
      isPermitted = { [tokens] in tokens.sender(authorization: authorization) != nil }
    } else {
      let token = try request.requireOperator(tokens)
      isPermitted = { [tokens] in tokens.isUsable(token) }
    }
    guard let steps = tap.follow(filter) else { throw EdgeFailure.unavailable("Too many streams are open") }
    return Self.response(steps, isPermitted: isPermitted)
  }

  /// - Parameter isPermitted: asked before each event: a revoked token hears nothing more.
  private static func response(
    _ steps: AsyncStream<MessageStep>, isPermitted: @escaping @Sendable () -> Bool
  ) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-cache, no-store", .xAccelBuffering: "no"],
      body: ResponseBody { writer in
        for await step in steps {
          guard isPermitted() else { break }
          try await writer.write(ByteBuffer(bytes: text(of: step)))
        }
        try await writer.finish(nil)
      })
  }

  /// One event: a JSON text has no line break of its own, so one `data` line holds it.
  static func text(of step: MessageStep) -> [UInt8] {
    let data = JSONWriter.object(capacity: 256) { data in
      data.member("at", step.at.iso8601)
      data.member("kind", step.kind.rawValue)
      data.member("messageId", ifPresent: step.messageID)
      data.member("sender", ifPresent: step.sender)
      data.member("app", ifPresent: step.app)
      data.member("target", ifPresent: step.target)
      data.member("collapseKey", ifPresent: step.collapseKey)
      data.member("reason", ifPresent: step.reason)
    }
    return Array("event: \(step.kind.rawValue)\ndata: ".utf8) + data + Array("\n\n".utf8)
  }
}
