public import EventSourcing

/// How one lane of APNs or FCM stands, for metrics. Spec: providers 1.6.
public struct PushLaneReport: Sendable, Equatable {
  /// As `CourierLane.label`; several lanes may have the same.
  public let label: String
  /// Connections that are up.
  public let connections: Int
  /// Requests that are under way on them.
  public let streams: Int
  /// Requests that wait for a stream.
  public let waiting: Int
  /// When the provider token or access token in use was made; nil if there is none.
  public let tokenIssuedAt: Timestamp?
  /// When the client certificate ends; nil if there is none.
  public let certificateExpiry: Timestamp?

  init(
    label: String, load: HTTP2Load = HTTP2Load(), tokenIssuedAt: Timestamp? = nil, certificateExpiry: Timestamp? = nil
  ) {
    self.label = label
    connections = load.connections
    streams = load.streams
    waiting = load.waiting
    self.tokenIssuedAt = tokenIssuedAt
    self.certificateExpiry = certificateExpiry
  }
}
