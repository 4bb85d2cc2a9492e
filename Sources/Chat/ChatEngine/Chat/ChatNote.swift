import ChatDomain
import EventSourcing

/// What the index must know of a chat while it sleeps.
///
/// | field | |
/// |---|---|
/// | 1 | service name |
/// | 2… | options of the request: nested 1 name, 2 value |
/// | 3 | chat session id (absent: not started) |
/// | 4 | user key |
/// | 5 | the chat is over |
/// | 6… | clientIds of the Comet sessions that it knows |
/// | 7 | it had a user, who was erased |
/// | 8 | when the chat was started (absent: not, or a note from before there were lists) |
/// | 9… | agents who are in it, or were when it ended |
struct ChatNote: Equatable {
  var serviceName = ""
  var options: [DataPair] = []
  var chatSessionID: String?
  var userKey: String?
  var isUserErased = false
  var isEnded = false
  var sessions: [String] = []
  var startedAt: Timestamp?
  var agents: [String] = []

  init(_ chat: borrowing ChatSession) {
    serviceName = chat.serviceName
    options = chat.data.filter { $0.name.hasPrefix("_") }
    chatSessionID = chat.isStarted ? chat.chatSessionID : nil
    userKey = chat.userKey
    isUserErased = chat.isUserErased
    isEnded = chat.isEnded
    sessions = chat.attachedSessions
    startedAt = chat.isStarted ? chat.startedAt : nil
    agents = chat.agents.map(\.id)
  }

  /// It was made by a version that had no lists to keep: what is missing is in the state.
  var isShort: Bool { chatSessionID != nil && startedAt == nil }

  var bytes: [UInt8] {
    var writer = PayloadWriter()
    writer.text(1, serviceName)
    for option in options {
      writer.nested(2) {
        $0.text(1, option.name)
        $0.text(2, option.value)
      }
    }
    writer.text(3, ifPresent: chatSessionID)
    writer.text(4, ifPresent: userKey)
    if isEnded { writer.bool(5, true) }
    for session in sessions { writer.text(6, session) }
    if isUserErased { writer.bool(7, true) }
    if let startedAt { writer.time(8, startedAt) }
    for agent in agents { writer.text(9, agent) }
    return writer.bytes
  }

  init(bytes: [UInt8]) throws(PayloadError) {
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      while let field = try payload.next() {
        switch field {
        case 1: serviceName = try payload.text()
        case 2:
          var nested = try payload.nested()
          options.append(try Self.option(&nested))
        case 3: chatSessionID = try payload.text()
        case 4: userKey = try payload.text()
        case 5: isEnded = try payload.bool()
        case 6: sessions.append(try payload.text())
        case 7: isUserErased = try payload.bool()
        case 8: startedAt = try payload.time()
        case 9: agents.append(try payload.text())
        default: try payload.skip()
        }
      }
    }
  }

  private static func option(_ payload: inout PayloadReader) throws(PayloadError) -> DataPair {
    var (name, value) = ("", "")
    while let field = try payload.next() {
      switch field {
      case 1: name = try payload.text()
      case 2: value = try payload.text()
      default: try payload.skip()
      }
    }
    return DataPair(name, value)
  }
}
