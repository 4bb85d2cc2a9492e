import JSONEnvelope

/// One message of a Comet reply, as a client reads it.
enum ClientMessage {
  /// The new clientId; nil if refused.
  case handshake(clientID: String?)
  case subscribed(successful: Bool)
  case connected(successful: Bool, batch: Int?)
  case disconnected
  /// Refused with a reason; the last word of the channel.
  case refused(channel: String)
  case event(ChatNews)

  /// - Throws: if it is nothing that a client could read.
  init(_ bytes: [UInt8]) throws {
    let value = try JSONValue(parsing: bytes)
    let channel = value["channel"]?.string ?? ""
    let isSuccessful = value["successful"]?.bool ?? false
    switch channel {
    case "/_genesys": self = .event(try ChatNews(value))
    case "/meta/handshake": self = .handshake(clientID: isSuccessful ? value["clientId"]?.string : nil)
    case "/meta/connect": self = .connected(successful: isSuccessful, batch: value["ext"]?["ack"]?.integer)
    case "/meta/subscribe" where isSuccessful: self = .subscribed(successful: true)
    case "/meta/unsubscribe" where isSuccessful: self = .subscribed(successful: false)
    case "/meta/disconnect" where isSuccessful: self = .disconnected
    case "/chat/1": self = .refused(channel: "publish")
    default: self = .refused(channel: String(channel.split(separator: "/").last ?? ""))
    }
  }
}

/// A notification of a chat: some lines of its transcript, one after the other.
struct ChatNews {
  enum Fault: Error { case unreadable }

  let serviceID: String
  let last: Int
  let lines: [ChatView.Line]

  var first: Int { last - lines.count + 1 }

  init(_ value: JSONValue) throws {
    guard let tag = value["data"]?["tag"]?.string, let body = value["data"]?["message"],
      let last = body["transcriptPosition"]?.lenientInteger, let tuples = body["transcriptToShow"]?.array
    else { throw Fault.unreadable }
    serviceID = String(tag.dropFirst("service.chat.refresh.".count))
    self.last = last
    lines = try tuples.map { tuple in
      guard let type = tuple[0]?.string, let nickname = tuple[1]?.string, let text = tuple[2]?.string,
        let role = tuple[4]?.string
      else { throw Fault.unreadable }
      return ChatView.Line(type: type, nickname: nickname, text: text, role: role)
    }
  }
}
