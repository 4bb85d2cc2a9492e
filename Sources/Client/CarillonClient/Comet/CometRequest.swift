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

  func write(id: String, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(id)
    writer.key("channel")
    writer.string(channel)
    switch self {
    case .handshake(let supported, _):
      writer.key("version")
      writer.string("1.0")
      writer.key("supportedConnectionTypes")
      writer.beginArray()
      for type in supported { writer.string(type) }
      writer.endArray()
    case .subscribe(let clientID, let channel):
      writer.key("clientId")
      writer.string(clientID)
      writer.key("subscription")
      writer.string(channel)
    case .connect(let clientID, let type, let isFirst, _):
      writer.key("clientId")
      writer.string(clientID)
      writer.key("connectionType")
      writer.string(type)
      if isFirst {
        writer.key("advice")
        writer.beginObject()
        writer.key("timeout")
        writer.integer(0)
        writer.endObject()
      }
    case .disconnect(let clientID, _):
      writer.key("clientId")
      writer.string(clientID)
    case .publish(let clientID, _, let data):
      writer.key("clientId")
      writer.string(clientID)
      writer.key("data")
      writer.value(data)
    }
    if let position = transcriptPosition {
      // As text inside `ext`, the form that the first clients used. Spec: GMS 4.5.
      writer.key("ext")
      writer.beginObject()
      writer.key("transcriptPosition")
      writer.string(String(position))
      writer.endObject()
    }
    writer.endObject()
  }
}
