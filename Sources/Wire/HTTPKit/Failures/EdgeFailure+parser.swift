import HTTPTypes
package import NIOHTTP1

extension EdgeFailure {
  package static let headTooLarge = EdgeFailure(
    .requestHeaderFieldsTooLarge, "The request's head is too large", exception: "RequestTooLargeException")

  /// - Parameter error: what the HTTP parser has stumbled over.
  package init(parserError error: HTTPParserError?) {
    switch error {
    case .headerOverflow: self = .headTooLarge
    case .invalidVersion:
      self.init(.httpVersionNotSupported, "HTTP/1.1 is spoken here", exception: "VersionException")
    default: self = .malformed("The request is not well-formed HTTP")
    }
  }
}
