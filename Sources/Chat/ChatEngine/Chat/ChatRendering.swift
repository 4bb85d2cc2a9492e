import ChatDomain
import EngineKit
import EventSourcing
public import JSONEnvelope

/// The JSON of chat replies and notifications. Numbers are texts throughout. Spec: GMS 3.5, 4.7, 5.1.
public enum ChatRendering {
  static let serviceMessage: StaticString = "Chat service is available"

  /// Writes the members that every chat response has into an object already begun.
  public static func write(_ reply: ChatReply, into writer: inout JSONWriter) {
    write(
      chatSessionID: reply.chatSessionID, state: reply.state, position: reply.position, startedAt: reply.startedAt,
      events: reply.events[...], into: &writer)
  }

  static func write(
    chatSessionID: String, state: ChatReply.State, position: Int, startedAt: Timestamp,
    events: ArraySlice<TranscriptEvent>, into writer: inout JSONWriter
  ) {
    writer.key("chatSessionId")
    writer.string(chatSessionID)
    writer.key("chatIxnState")
    writer.string(state.rawValue)
    writer.key("transcriptPosition")
    writer.string(String(position))
    writer.key("chatServiceMessage")
    writer.string(serviceMessage)
    writer.key("startedAt")
    writer.string(startedAt.iso8601)
    writer.key("transcriptToShow")
    writer.beginArray()
    for event in events {
      writer.beginArray()
      writer.string(event.type.rawValue)
      writer.string(event.nickname)
      writer.string(event.text)
      writer.string(String(event.time.seconds(since: startedAt)))
      writer.string(event.role.rawValue)
      writer.endArray()
    }
    writer.endArray()
  }

  /// A whole Bayeux event on `channel` that carries `events`, which are not empty.
  static func notification(
    channel: String, chat: ChatIdentity, events: ArraySlice<TranscriptEvent>, ended: Bool
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.key("channel")
    writer.string(channel)
    writer.key("data")
    writer.beginObject()
    writer.key("id")
    var id: [UInt8] = [UInt8(ascii: "\"")]
    if let first = events.first, let last = events.last {
      NotificationIDs.append(to: &id, of: chat.serviceID, first.position...last.position, time: last.time)
    }
    id.append(UInt8(ascii: "\""))
    writer.raw(id)
    writer.key("tag")
    writer.string("service.chat.refresh." + chat.serviceID)
    writer.key("message")
    writer.beginObject()
    write(
      chatSessionID: chat.chatSessionID, state: ended ? .disconnected : .transcript,
      position: events.last?.position ?? 0, startedAt: chat.startedAt, events: events, into: &writer)
    writer.endObject()
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }
}

/// What every notification of a chat repeats.
struct ChatIdentity: Sendable {
  let serviceID: String
  let chatSessionID: String
  let startedAt: Timestamp
}
