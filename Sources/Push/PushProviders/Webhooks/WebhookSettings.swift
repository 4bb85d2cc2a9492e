package import OptionKit

/// The bounds of everything that goes out as an HTTP POST. Spec: GMS 7.4, providers 4.
public struct WebhookSettings: Sendable, Equatable {
  /// Goes out as `User-Agent: Carillon/<version>`.
  public var version = "0"
  /// Until the connection stands, TLS included.
  public var connectTimeout: Duration = .seconds(10)
  /// Without a byte from the receiver; also the time that its answer's head may take in all, and then its body.
  public var readTimeout: Duration = .seconds(10)
  /// Posts in flight at the same time to one scheme, host and port. Spec: providers 4.4.
  public var inFlightPerEndpointMaximum = 16
  /// Bytes of a body; a longer one is refused. Spec: providers 4.1.
  public var bodyBytesMaximum = 262_144
  /// Bytes of the answer's body that are read, so that the connection can be used again. Spec: providers 4.2.
  public var answerBytesMaximum = 65_536
  /// How long an unused connection is kept.
  public var idleTimeout: Duration = .seconds(60)
  /// Hosts whose connections are kept for later, with TLS about 1 MB each; beyond it the one that has been used least
  /// recently is closed.
  public var hostsMaximum = 64
  /// Until a host's addresses are known.
  public var lookUpTimeout: Duration = .seconds(5)
  /// How long a host's addresses are used before they are asked for again.
  public var addressesKeptFor: Duration = .seconds(60)
  /// The same for the news that there are none.
  public var failuresKeptFor: Duration = .seconds(5)
  /// Hosts that are being looked up at the same time; a further one may be tried again later.
  public var lookUpsMaximum = 256
  /// Addresses of a host that are tried in one post.
  public var addressesTriedMaximum = 3

  public init() {}
}

extension WebhookSettings: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "limits.pushes_in_flight_per_host", \.inFlightPerEndpointMaximum, .integer(1...100_000),
      "HTTP pushes to one host and port at once")
  ]
}
