import HTTPTypes

extension EdgeFailure {
  package static let headTooLarge = EdgeFailure(
    .requestHeaderFieldsTooLarge, "The request's head is too large", exception: "RequestTooLargeException")

  /// - Parameter flaw: what the parser has stumbled over.
  package init(_ flaw: HTTPRequestFlaw) {
    switch flaw {
    case .headTooLarge: self = .headTooLarge
    case .unknownVersion:
      self.init(.httpVersionNotSupported, "HTTP/1.1 is spoken here", exception: "VersionException")
    case .malformed: self = .malformed("The request is not well-formed HTTP")
    }
  }
}
