/// The one header that the proxies write; another one may have come from anybody, and is not looked at.
public enum ProxyHeader: String, Sendable, CaseIterable {
  case xForwardedFor = "x-forwarded-for"
  /// Spec: RFC 7239.
  case forwarded
}
