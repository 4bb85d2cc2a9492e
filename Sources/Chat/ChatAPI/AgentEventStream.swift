import ChatDomain
import ChatEngine
import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The agents' event stream: server-sent events, or messages of a socket. The connection fills silence.
///
/// Spec: GMS 12.3, event stream; HTML, server-sent events.
enum AgentEventStream {
  /// - Parameters:
  ///   - viewer: who hears what concerns them.
  ///   - lastEventID: the header of a stream that comes back; one that is no number of ours counts as lost.
  ///   - base: how this server is reached, for the URLs in events.
  ///   - isPermitted: asked before each event: a revoked token hears nothing more.
  static func response(
    _ agents: AgentService, of viewer: AgentViewer, lastEventID: String?, base: String,
    isPermitted: @escaping @Sendable () -> Bool
  ) -> Response {
    let events = agents.events(after: lastEventID.map { UInt64($0) ?? 0 }, for: viewer)
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
    event.rendering.bytes("stream", base: base) {
      let (name, data) = rendered(event, base: base)
      return Array("event: \(name.rawValue)\nid: \(event.number)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
  }

  /// The same as a message of the agents' socket.
  static func message(of event: AgentEvent, base: String) -> [UInt8] {
    event.rendering.bytes("socket", base: base) {
      let (name, data) = rendered(event, base: base)
      return JSONWriter.object(capacity: data.count + 64) { message in
        message.member("event", name.rawValue)
        message.member("number", event.number)
        message.member("data", RawJSON(data))
      }
    }
  }

  private static func rendered(_ event: AgentEvent, base: String) -> (AgentEventName, data: [UInt8]) {
    var name = AgentEventName.reset
    let data = JSONWriter.object(capacity: 256) { name = write(event, base: base, into: &$0) }
    return (name, data)
  }

  private static func write(
    _ event: AgentEvent, base: String, into object: inout JSONObjectWriter
  ) -> AgentEventName {
    let notification: AgentNotification
    switch event.kind {
    case .chat(let ofChat): notification = ofChat
    case .other(let news):
      guard let news = news as? any RenderedAgentNews else {
        preconditionFailure("nobody says how \(type(of: news)) looks on the wire")
      }
      news.write(base: base, into: &object)
      return news.name
    case .agent(let id, let isReady):
      object.member("agentId", id)
      object.member("ready", isReady)
      return .agent
    case .reset: return .reset
    }
    object.member("chatId", event.chatID)
    object.member("serviceId", event.serviceID)
    switch notification {
    case .waiting: return .waiting
    case .line(let line):
      AgentRendering.write(line, of: event.chatID, base: base, into: &object)
      return .line
    case .customerOnline(let isOnline):
      object.member("customerOnline", isOnline)
      return .customerOnline
    case .typingPreview(let text):
      object.member("text", text)
      return .typingPreview
    case .dataChanged: return .dataChanged
    case .read(let agentID, let position):
      object.member("agentId", agentID)
      object.member("position", position)
      return .read
    case .invited(let agentID):
      object.member("agentId", agentID)
      return .invited
    case .deskChanged(let name):
      object.member("service", name)
      return .transferred
    case .pushSettled(let push):
      AgentRendering.write(push, into: &object)
      return .push
    case .offered(let offer):
      AgentRendering.write(offer, into: &object)
      return .chatOffered
    case .offerEnded(let offer, let end):
      object.member("agentId", offer.agentID)
      object.member("reason", end.rawValue)
      return .chatOfferWithdrawn
    case .ended: return .ended
    }
  }
}
