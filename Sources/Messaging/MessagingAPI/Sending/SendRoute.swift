import HTTPKit

/// The resources that send messages: hot enough to be found without the router. Spec: GCM B1, E1.
package enum SendRoute: Equatable, Sendable {
  /// `/gcm/send`, `/fcm/send`
  case legacy
  /// `/v1/projects/{project}/messages:send`
  case v1(project: String)

  private static let v1Prefix = "/v1/projects/"
  private static let v1Suffix = "/messages:send"

  /// - Parameter target: the request target: path and query string.
  package init?(target: String) {
    // By bytes: every request but the hottest ones comes by here, some of them twice.
    let path = Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    if path == "/gcm/send" || path == "/fcm/send" {
      self = .legacy
    } else if path.hasPrefix(Self.v1Prefix), path.hasSuffix(Self.v1Suffix),
      path.utf8.count > Self.v1Prefix.utf8.count + Self.v1Suffix.utf8.count
    {
      let project = path.dropFirst(Self.v1Prefix.count).dropLast(Self.v1Suffix.count)
      guard !project.contains("/") else { return nil }
      self = .v1(project: project.removingPercentEncoding)
    } else {
      return nil
    }
  }
}

extension Substring {
  /// As it is if its escapes are not valid.
  fileprivate var removingPercentEncoding: String {
    contains("%") ? PathText.decode(self) ?? String(self) : String(self)
  }
}
