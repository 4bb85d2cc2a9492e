public import NIOHPACK

/// One request; the client adds nothing but the pseudo-headers: `:method` and `:path` from here, `:scheme` and
/// `:authority` from the settings. Spec: providers 2.4.
public struct HTTP2Request: Sendable {
  public var method: String
  public var path: String
  /// Names in lower case, no pseudo-headers, each with the indexing that HPACK is to use; `:path` never enters the
  /// table. What HTTP/2 cannot carry ends as `unprocessed("request malformed")`.
  public var headers: HPACKHeaders
  public var body: [UInt8]

  public init(method: String = "POST", path: String, headers: HPACKHeaders, body: [UInt8]) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }
}

public struct HTTP2Response: Sendable {
  public let status: Int
  public let headers: HPACKHeaders
  /// Cut at `HTTP2Settings.responseBytesMaximum`.
  public let body: [UInt8]
  /// Which connection it came over: for `HTTP2Origin.retire(_:)`.
  public let connection: HTTP2ConnectionID

  public init(status: Int, headers: HPACKHeaders, body: [UInt8], connection: HTTP2ConnectionID) {
    self.status = status
    self.headers = headers
    self.body = body
    self.connection = connection
  }
}

public struct HTTP2ConnectionID: Sendable, Hashable {
  public let number: UInt64
  public init(_ number: UInt64) { self.number = number }
}

/// How one request ended. Reasons are short and name no host, path or token. Spec: providers 7.
public enum HTTP2Outcome: Sendable {
  case answered(HTTP2Response)
  /// The server has certainly not processed it: refused stream, above a GOAWAY's last stream id, never written.
  /// `isTransport`: no connection could be made at all.
  case unprocessed(reason: String, isTransport: Bool)
  /// Written, and no answer came: nobody can know.
  case unknown(reason: String)
  /// The TLS peer is not to be trusted, or speaks no HTTP/2: trying again does not help.
  case unusable(reason: String)
  /// The server asked for calm (ENHANCE_YOUR_CALM).
  case calm(reason: String)
}
