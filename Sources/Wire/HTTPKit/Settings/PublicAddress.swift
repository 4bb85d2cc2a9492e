package import Hummingbird

/// How this server is reached from outside.
package struct PublicAddress: Sendable, Equatable {
  /// `https://push.example.com`. Nil: by the name that each request used.
  package let url: String?

  package init(url: String?) { self.url = url }

  /// Scheme and authority under which we are reached, without a slash at the end.
  package func origin(_ request: Request, _ context: EdgeRequestContext) -> String {
    if let url { return Self.withoutSlash(url) }
    // A client reaches us by the name it used, which may be a proxy's.
    let authority = request.head.authority ?? "localhost:\(context.localPort)"
    return "\(context.isTLS ? "https" : "http")://\(authority)"
  }

  package static func withoutSlash(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
}
