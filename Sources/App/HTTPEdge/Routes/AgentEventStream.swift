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
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    let name = writeMembers(of: event, base: base, into: &writer)
    writer.endObject()
    return Array("event: \(name.rawValue)\nid: \(event.number)\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
  }

  private static func writeMembers(
    of event: AgentEvent, base: String, into writer: inout JSONWriter
  ) -> AgentEventName {
    let notification: AgentNotification
    switch event.kind {
    case .chat(let ofChat): notification = ofChat
    case .other(let news as CallbackNews):
      AgentRendering.writeMembers(of: news.change, news.view, into: &writer)
      return .callback
    case .other(let news as SupportRequestNews):
      AgentRendering.writeMembers(of: news.change, news.view, base: base, into: &writer)
      return .support
    case .other(let news): preconditionFailure("nobody says how \(type(of: news)) looks on the wire")
    case .agent(let id, let isReady):
      writer.member("agentId", id)
      writer.key("ready")
      writer.bool(isReady)
      return .agent
    case .reset: return .reset
    }
    writer.key("chatId")
    writer.string(event.chatID)
    writer.key("serviceId")
    writer.string(event.serviceID)
    switch notification {
    case .waiting: return .waiting
    case .line(let line):
      AgentRendering.writeMembers(of: line, into: &writer)
      return .line
    case .customerOnline(let isOnline):
      writer.key("customerOnline")
      writer.bool(isOnline)
      return .customerOnline
    case .typingPreview(let text):
      writer.key("text")
      writer.string(text)
      return .typingPreview
    case .dataChanged: return .dataChanged
    case .ended: return .ended
    }
  }
}

/// The events of an agent's stream, as the wire names them.
enum AgentEventName: String, CaseIterable {
  case waiting, line, customerOnline, typingPreview, dataChanged, ended, callback, support, agent, reset

  /// For the description of the stream.
  var about: String {
    switch self {
    case .waiting: "a chat waits for an agent: `chatId`, `serviceId`"
    case .line: "a new line of a transcript: `chatId`, `serviceId` and the members of `TranscriptLine`"
    case .customerOnline: "a customer came back or went away: `chatId`, `serviceId`, `customerOnline`"
    case .typingPreview: "what a customer has typed so far: `chatId`, `serviceId`, `text`"
    case .dataChanged: "a chat's attached data changed: `chatId`, `serviceId`"
    case .ended: "a chat is over: `chatId`, `serviceId`"
    case .callback: "something happened to a callback: its members, as in the list of callbacks"
    case .support: "something happened to a support request: its members, as in the list of requests"
    case .agent: "an agent is ready, or not any more: `agentId`, `ready`"
    case .reset: "events were missed: read the lists anew"
    }
  }
}

extension HTTPField.Name {
  static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
