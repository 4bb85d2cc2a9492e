public import ChatDomain
import EngineKit
import EventSourcing
public import JSONEnvelope

/// The JSON of chat replies and notifications. Numbers are texts throughout. Spec: GMS 3.5, 4.7, 5.1.
public enum ChatRendering {
  static let serviceMessage: StaticString = "Chat service is available"

  /// Writes the members that every chat response has.
  public static func write(_ reply: ChatReply, into object: inout JSONObjectWriter) {
    write(
      ChatIdentity(
        serviceID: reply.serviceID, chatSessionID: reply.chatSessionID, startedAt: reply.startedAt,
        takesFiles: reply.takesFiles),
      state: reply.state, position: reply.position, events: reply.events[...], into: &object)
  }

  private static func write(
    _ chat: ChatIdentity, state: ChatReply.State, position: Int, events: ArraySlice<TranscriptEvent>,
    into object: inout JSONObjectWriter
  ) {
    object.member("chatSessionId", chat.chatSessionID)
    object.member("chatIxnState", state.rawValue)
    object.member("transcriptPosition", String(position))
    object.member("chatServiceMessage", serviceMessage)
    object.member("startedAt", chat.startedAt.iso8601)
    object.array("transcriptToShow") { transcript in
      for event in events {
        transcript.array { tuple in
          tuple.element((chat.takesFiles ? event.type : event.type.withoutFiles).rawValue)
          tuple.element(event.nickname)
          tuple.element(event.text)
          tuple.element(String(event.time.seconds(since: chat.startedAt)))
          tuple.element(event.role.rawValue)
          if chat.takesFiles, let file = event.file { tuple.object { write(file, url: file.url, into: &$0) } }
        }
      }
    }
  }

  /// The members of a file, for whoever gets it at `url`.
  public static func write(_ file: ChatFile, url: String, into object: inout JSONObjectWriter) {
    object.member("id", file.id)
    object.member("name", file.name)
    object.member("type", file.contentType)
    object.member("size", file.byteCount)
    object.member("url", url)
  }

  /// A whole Bayeux event on `channel` that carries `events`, which are not empty.
  static func notification(
    channel: String, chat: ChatIdentity, events: ArraySlice<TranscriptEvent>, ended: Bool
  ) -> [UInt8] {
    var id: [UInt8] = [UInt8(ascii: "\"")]
    if let first = events.first, let last = events.last {
      NotificationIDs.append(to: &id, of: chat.serviceID, first.position...last.position, time: last.time)
    }
    id.append(UInt8(ascii: "\""))
    return JSONWriter.object(capacity: 512) { event in
      event.member("channel", channel)
      event.object("data") { data in
        data.member("id", RawJSON(id))
        data.member("tag", "service.chat.refresh." + chat.serviceID)
        data.object("message") { message in
          write(
            chat, state: ended ? .disconnected : .transcript, position: events.last?.position ?? 0, events: events,
            into: &message)
        }
      }
    }
  }
}

/// What every notification of a chat repeats, and how its app knows events.
struct ChatIdentity: Sendable {
  let serviceID: String
  let chatSessionID: String
  let startedAt: Timestamp
  let takesFiles: Bool
}
