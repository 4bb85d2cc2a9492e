package import NIOHTTP1

/// Where a request comes from whose answer a page runs as a script. Any page can ask for one, and its browser hands the
/// answer over whatever that says of origins: so it is looked at before.
///
/// Browsers send no `Origin` with it, but `Referer`, which names the page, and `Sec-Fetch-Site`, which says whether it
/// is the server's own. A page can withhold the first alone. Old browsers, and all without TLS, do not know the second.
/// Spec: Fetch Metadata, 2.3; Bayeux reference, 19.
struct ScriptSource {
  private let host: String?
  private let fetchSite: String?
  /// The page's, as far as it is told.
  private let origin: String?
  private let isBrowser: Bool

  init(_ head: HTTPRequestHead) {
    host = head.headers.first(name: "host")
    fetchSite = head.headers.first(name: "sec-fetch-site")
    origin = head.headers.first(name: "origin") ?? head.headers.first(name: "referer").flatMap(Self.origin(of:))
    // All of them call themselves so, and no page can change that.
    isBrowser = fetchSite != nil || head.headers.first(name: "user-agent")?.hasPrefix("Mozilla/") == true
  }

  /// Whether the page may run the answer: one of this server's own, or of an origin that `policy` allows. Who asks
  /// without a page is no browser, or its user has typed the address.
  func isAllowed(by policy: OriginPolicy) -> Bool {
    if fetchSite == "same-origin" || fetchSite == "none" || policy == .any { return true }
    guard let origin else { return !isBrowser }
    return OriginPolicy.isOwn(origin, host: host, fetchSite: fetchSite) || policy.allows(origin)
  }

  /// Scheme, host and port of a URL.
  private static func origin(of url: String) -> String? {
    guard let authority = url.firstRange(of: "://")?.upperBound else { return nil }
    let end = url[authority...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    return String(url[..<end])
  }
}

extension HTTPConnectionHandler {
  /// Whether the page that loads this as a script may.
  package func mayLoadScript(_ head: HTTPRequestHead) -> Bool {
    ScriptSource(head).isAllowed(by: services.settings.origins(on: surface))
  }

  /// Requests go beside each other on its connection, any number of them: it is a stream of HTTP/2.
  package var isMultiplexed: Bool { stream != nil }
}
