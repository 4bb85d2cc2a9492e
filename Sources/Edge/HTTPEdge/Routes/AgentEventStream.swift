import ChatDomain
import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The agents' event stream: server-sent events. The connection fills silence with comments.
///
/// Spec: GMS 12.3, event stream; HTML, server-sent events.
enum AgentEventStream {
  /// - Parameters:
  ///   - lastEventID: the header of a stream that comes back; one that is no number of ours counts as lost.
  ///   - base: how this server is reached, for the URLs in events.
  ///   - isPermitted: asked before each event: a revoked token hears nothing more.
  static func response(
    _ agents: AgentService, lastEventID: String?, base: String, isPermitted: @escaping @Sendable () -> Bool
  ) -> Response {
    let events = agents.events(after: lastEventID.map { UInt64($0) ?? 0 })
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-cache, no-store", .xAccelBuffering: "no"],
      body: ResponseBody { writer in
        for await event in events {
          guard isPermitted() else { break }
          try await writer.write(ByteBuffer(bytes: text(of: event, base: base)))
        }
        try await writer.finish(nil)
      })
  }

  /// One event: a JSON text has no line break of its own, so one `data` line holds it.
  static func text(of event: AgentEvent, base: String) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    let name = writeMembers(of: event, base: base, into: &writer)
    writer.endObject()
    return Array("event: \(name)\nid: \(event.number)\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
  }

  private static func writeMembers(
    of event: AgentEvent, base: String, into writer: inout JSONWriter
  ) -> String {
    let notification: AgentNotification
    switch event.kind {
    case .chat(let ofChat): notification = ofChat
    case .callback(let change, let view):
      AgentRendering.writeMembers(of: change, view, into: &writer)
      return "callback"
    case .support(let change, let view):
      AgentRendering.writeMembers(of: change, view, base: base, into: &writer)
      return "support"
    case .agent(let id, let isReady):
      writer.member("agentId", id)
      writer.key("ready")
      writer.bool(isReady)
      return "agent"
    case .reset: return "reset"
    }
    writer.key("chatId")
    writer.string(event.chatID)
    writer.key("serviceId")
    writer.string(event.serviceID)
    switch notification {
    case .waiting: return "waiting"
    case .line(let line):
      AgentRendering.writeMembers(of: line, into: &writer)
      return "line"
    case .customerOnline(let isOnline):
      writer.key("customerOnline")
      writer.bool(isOnline)
      return "customerOnline"
    case .typingPreview(let text):
      writer.key("text")
      writer.string(text)
      return "typingPreview"
    case .dataChanged: return "dataChanged"
    case .ended: return "ended"
    }
  }
}

extension HTTPField.Name {
  static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
