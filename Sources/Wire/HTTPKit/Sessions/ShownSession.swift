import HTTPTypes
package import Hummingbird
package import NIOHTTP1

/// The session that a request shows, whether or not it is one.
///
/// It opens nothing to pages of other origins, whatever they may do with tokens of their own, and nothing where there is
/// an `Authorization`: that is what the client means.
package struct ShownSession: Sendable {
  package let secret: SessionSecret

  package init?(_ request: Request) {
    guard request.headers[.authorization] == nil else { return nil }
    self.init(
      cookies: request.headers[values: .cookie], origin: request.headers[.origin], host: request.head.authority)
  }

  package init?(_ head: HTTPRequestHead) {
    guard !head.headers.contains(name: "authorization") else { return nil }
    let cookies = head.headers["cookie"]
    guard !cookies.isEmpty else { return nil }
    self.init(cookies: cookies, origin: head.headers.first(name: "origin"), host: head.headers.first(name: "host"))
  }

  private init?(cookies: [String], origin: String?, host: String?) {
    guard let secret = SessionCookie.secret(in: cookies) else { return nil }
    if let origin {
      guard let host, OriginPolicy.isOrigin(origin, of: host) else { return nil }
    }
    self.secret = secret
  }
}
