import StandbyFollower

extension HTTPPrimary {
  /// As a command names it.
  ///
  /// - Parameter ca: a PEM file of certificates that it is known by; the system's if nil.
  /// - Throws: `CommandFailure`.
  static func open(
    _ url: String, trustRoots ca: String?, token: @escaping @Sendable () throws -> String
  ) throws -> HTTPPrimary {
    let primary: HTTPPrimary?
    do {
      primary = try HTTPPrimary(url: url, trustRoots: ca, token: token)
    } catch {
      throw CommandFailure(.configuration, "\(ca ?? "--ca") is not a PEM file of certificates: \(error)")
    }
    guard let primary else {
      throw CommandFailure(.usage, "\(url) is not a URL such as https://a.example.com:8080, without a path")
    }
    return primary
  }
}
