import GCMProtocol

/// What a stream wants done, in this order.
enum CCSAction: Equatable {
  case write([UInt8])
  /// Ask whether this is the sender's key; the answer goes to `CCSStream.authenticated`.
  case authenticate(PlainCredentials)
  /// A new XML document begins with the bytes that have not been read yet.
  case restart
  /// The connection is ready for what devices send.
  case attach(sender: String)
  /// Give it to the engine; the answer goes to `CCSStream.answered`.
  case send(CCSAddress, DownstreamRequest)
  /// The app server has this message of a device.
  case acknowledge(messageID: String)
  /// After everything is written.
  case close(CCSClosing)
}

enum CCSClosing: Equatable {
  /// The client wanted it.
  case left
  case drained
  case failed(StreamCondition)

  /// For the metric.
  var name: String {
    switch self {
    case .left: "left"
    case .drained: "drained"
    case .failed(let condition): condition.rawValue
    }
  }
}

/// What a stream goes by.
struct CCSStreamSettings: Sendable {
  /// What the server calls itself if the client does not say.
  var domain = "gcm.googleapis.com"
  /// What clients may call it, in small letters.
  var domains = ["gcm.googleapis.com", "fcm.googleapis.com"]
  /// Downstream messages that are not answered yet; at the limit nothing more is read. Spec: GCM C10.
  var pendingMaximum = 100
  var loginAttemptsMaximum = 3
  var resourceBytesMaximum = 256
}
