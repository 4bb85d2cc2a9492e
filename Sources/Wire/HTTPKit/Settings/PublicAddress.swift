package import Hummingbird

/// How this server is reached from outside.
package struct PublicAddress: Sendable, Equatable {
  /// `https://push.example.com`. Nil: by the name that each request used.
  package let url: String?

  package init(url: String?) { self.url = url }

  /// Scheme and authority under which we are reached, without a slash at the end.
  package func origin(_ request: Request, _ context: EdgeRequestContext) -> String {
    origin(RequestedAddress(request, context))
  }

  /// The same, of a client that says more than one request.
  package func origin(_ requested: RequestedAddress) -> String {
    if let url { return Self.withoutSlash(url) }
    // A client reaches us by the name it used, which may be a proxy's.
    let authority = requested.authority ?? "localhost:\(requested.localPort)"
    return "\(requested.isTLS ? "https" : "http")://\(authority)"
  }

  package static func withoutSlash(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
}

/// How a client has reached this server.
package struct RequestedAddress: Sendable, Equatable {
  /// The name and the port that it used.
  let authority: String?
  let isTLS: Bool
  /// The port that it came in by.
  let localPort: Int

  package init(authority: String?, isTLS: Bool, localPort: Int) {
    self.authority = authority
    self.isTLS = isTLS
    self.localPort = localPort
  }

  package init(_ request: Request, _ context: EdgeRequestContext) {
    self.init(authority: request.head.authority, isTLS: context.isTLS, localPort: context.localPort)
  }
}
