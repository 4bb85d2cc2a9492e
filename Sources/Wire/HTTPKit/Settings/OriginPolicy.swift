/// Which web pages of other origins may use the customer surface. Spec: GMS 2.2; Bayeux reference, 19.
public enum OriginPolicy: Sendable, Equatable {
  /// Any origin; it is echoed, never `*`, because credentials are allowed. So any page may act with what its visitor's
  /// browser knows of this server: for servers that nobody's browser knows secrets of.
  case any
  /// These origins alone, as browsers write them: scheme, host, port if it is not the scheme's own.
  case listed(Set<String>)

  /// Pages of other origins are not let in.
  public static let none = OriginPolicy.listed([])

  /// - Parameter option: the option `allowed_origins` of section `server`: `*`, or origins separated by commas or
  ///   blanks; an empty text allows none.
  public init(option: String) {
    let origins = option.split { $0 == "," || $0 == " " }.map { Self.normalized($0) }
    self = origins.contains("*") ? .any : .listed(Set(origins))
  }

  /// - Parameter origins: what operators list in `AccessOptions`.
  package init(_ origins: [String]) { self.init(option: origins.joined(separator: ",")) }

  /// Whether a page of `origin` may read our answers.
  package func allows(_ origin: String) -> Bool {
    switch self {
    case .any: Self.isPresentable(origin)
    case .listed(let origins): origins.contains(Self.normalized(origin))
    }
  }

  /// Whether this is a page of the server that is called `host` (header `Host`). Not by its scheme: whoever ends TLS
  /// before us has changed that.
  package static func isOrigin(_ origin: String, of host: String) -> Bool {
    guard let authority = origin.firstRange(of: "://")?.upperBound else { return false }
    return origin[authority...].lowercased() == host.lowercased()
  }

  /// Whether a page of this server's own asks: by the name that it calls the server by, or by the word of its browser
  /// (`Sec-Fetch-Site`), which no page can write, where a proxy has changed that name. Spec: Fetch Metadata, 2.3.
  package static func isOwn(_ origin: String, host: String?, fetchSite: String?) -> Bool {
    fetchSite == "same-origin" || host.map { isOrigin(origin, of: $0) } ?? false
  }

  private static func normalized(_ origin: some StringProtocol) -> String {
    var text = origin.lowercased()
    if text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// Only what can stand in a header is echoed.
  private static func isPresentable(_ origin: String) -> Bool {
    let bytes = origin.utf8
    return !bytes.isEmpty && bytes.count <= 512 && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
