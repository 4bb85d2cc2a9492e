import JSONEnvelope

/// One message as a client sent it: the known fields decoded, everything else kept out of the way.
///
/// `ext` and `data` stay bytes: nothing between the wire and the domain needs to look into them.
/// Spec: Bayeux 1.0, "Protocol Elements".
public struct BayeuxMessage: Sendable, Equatable {
  /// Nil if the message has none, or one that is not a text.
  public var channel: String?
  /// The JSON text of `id` as it came (with its quotation marks), to be echoed unchanged.
  public var id: [UInt8]?
  public var clientID: String?
  public var version: String?
  public var supportedConnectionTypes: [String]?
  /// One channel or several; nil if absent or of the wrong kind.
  public var subscription: [String]?
  /// The JSON text of `subscription` as it came, to be echoed unchanged.
  public var subscriptionText: [UInt8]?
  /// `advice.timeout` and `advice.interval` of a request, in milliseconds.
  public var adviceTimeout: Int?
  public var adviceInterval: Int?
  /// Well-known members of `ext`: the acknowledged batch (`ext.ack` as a number), and whether the client asks for the
  /// acknowledgment extension (`ext.ack` true, in a handshake).
  public var acknowledged: Int?
  public var wantsAcknowledgment: Bool
  /// `ext.timesync`.
  public var timesync: TimeSync?
  /// `ext.gms_user` and `ext.serviceId`. Spec: GMS 4.2, binding.
  public var userKey: String?
  public var serviceID: String?
  /// `ext.gms_token`: proves who the user is, for clients that cannot set headers. Own extension.
  public var userToken: String?
  /// `transcriptPosition` from `ext`, else from the top level; a text or a number. Nil if absent, negative or not a
  /// number. Spec: GMS 4.5, 5.2.
  public var transcriptPosition: Int?
  /// JSON texts.
  public var ext: [UInt8]?
  public var data: [UInt8]?

  public init() { wantsAcknowledgment = false }

  /// Members of `ext` that a client and the server have between them.
  static let ownExtensions: Set<String> = [
    "ack", "timesync", "gms_user", "gms_token", "serviceId", "transcriptPosition",
  ]
}

/// How a client is connected, in the order of our preference. Spec: Bayeux 1.0, "Transports".
public enum ConnectionType: String, Sendable, Equatable, CaseIterable {
  case webSocket = "websocket"
  case longPolling = "long-polling"
  /// Long polling by pages that may do nothing but load scripts.
  case callbackPolling = "callback-polling"

  /// Each request is answered once, and one that connects is held.
  public var isPolling: Bool { self != .webSocket }
}
