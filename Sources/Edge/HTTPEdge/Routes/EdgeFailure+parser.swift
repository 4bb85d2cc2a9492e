import HTTPTypes
import NIOHTTP1

extension EdgeFailure {
  /// What the HTTP parser has stumbled over.
  init(parserError error: any Error) {
    switch error as? HTTPParserError {
    case .headerOverflow:
      self.init(
        .requestHeaderFieldsTooLarge, "The request's head is too large", exception: "RequestTooLargeException")
    case .invalidVersion:
      self.init(.httpVersionNotSupported, "HTTP/1.1 is spoken here", exception: "VersionException")
    default: self = .malformed("The request is not well-formed HTTP")
    }
  }
}
