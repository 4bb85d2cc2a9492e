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
    self.init(cookies: request.headers[values: .cookie], isOwnPage: request.isOfOwnPage)
  }

  package init?(_ head: HTTPRequestHead) {
    guard !head.headers.contains(name: "authorization") else { return nil }
    let cookies = head.headers["cookie"]
    guard !cookies.isEmpty else { return nil }
    self.init(cookies: cookies, isOwnPage: head.isOfOwnPage)
  }

  private init?(cookies: [String], isOwnPage: Bool) {
    guard isOwnPage, let secret = SessionCookie.secret(in: cookies) else { return nil }
    self.secret = secret
  }
}

extension Request {
  /// Whether no page of another origin sends it. A browser says where a page is from with each change, and with whatever
  /// a page of another origin reads.
  package var isOfOwnPage: Bool {
    guard let origin = headers[.origin] else { return true }
    return OriginPolicy.isOwn(origin, host: head.authority, fetchSite: headers[.secFetchSite])
  }
}

extension HTTPRequestHead {
  /// As that of the router's requests.
  var isOfOwnPage: Bool {
    guard let origin = headers.first(name: "origin") else { return true }
    return OriginPolicy.isOwn(
      origin, host: headers.first(name: "host"), fetchSite: headers.first(name: "sec-fetch-site"))
  }
}

extension HTTPField.Name {
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
