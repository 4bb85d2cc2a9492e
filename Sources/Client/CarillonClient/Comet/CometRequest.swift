import JSONEnvelope

/// One Bayeux message to the server.
enum CometRequest: Sendable, Equatable {
  case handshake(supported: [String], transcriptPosition: Int?)
  case subscribe(clientID: String, channel: String)
  /// `isFirst` asks for an answer at once.
  case connect(clientID: String, type: String, isFirst: Bool, transcriptPosition: Int?)
  case disconnect(clientID: String, transcriptPosition: Int?)
  case publish(clientID: String, channel: String, data: JSONValue)

  var channel: String {
    switch self {
    case .handshake: "/meta/handshake"
    case .subscribe: "/meta/subscribe"
    case .connect: "/meta/connect"
    case .disconnect: "/meta/disconnect"
    case .publish(_, let channel, _): channel
    }
  }

  /// The last event of the chat that has come; nil says nothing about it. Spec: GMS 4.5, 6.1.
  private var transcriptPosition: Int? {
    switch self {
    case .handshake(_, let position), .connect(_, _, _, let position), .disconnect(_, let position): position
    case .subscribe, .publish: nil
    }
  }

  func write(id: String, into message: inout JSONObjectWriter) {
    message.member("id", id)
    message.member("channel", channel)
    switch self {
    case .handshake(let supported, _):
      message.member("version", "1.0")
      message.member("supportedConnectionTypes", supported)
    case .subscribe(let clientID, let channel):
      message.member("clientId", clientID)
      message.member("subscription", channel)
    case .connect(let clientID, let type, let isFirst, _):
      message.member("clientId", clientID)
      message.member("connectionType", type)
      if isFirst { message.object("advice") { $0.member("timeout", 0) } }
    case .disconnect(let clientID, _):
      message.member("clientId", clientID)
    case .publish(let clientID, _, let data):
      message.member("clientId", clientID)
      message.member("data", data)
    }
    if let position = transcriptPosition {
      // As text inside `ext`, the form that the first clients used. Spec: GMS 4.5.
      message.object("ext") { $0.member("transcriptPosition", String(position)) }
    }
  }
}
