import NetworkAddress
import StandbyFollower

extension HTTPPrimary {
  /// As a command names it.
  ///
  /// - Parameters:
  ///   - ca: a PEM file of certificates that it is known by; the system's if nil.
  ///   - isInsecure: also over `http` to another machine.
  /// - Throws: `CommandFailure`.
  static func open(
    _ url: String, trustRoots ca: String?, isInsecure: Bool, token: @escaping @Sendable () throws -> String
  ) throws -> HTTPPrimary {
    guard isInsecure || !url.lowercased().hasPrefix("http://") || SecureURL.isOnLoopback(url) else {
      throw CommandFailure(
        .usage,
        "\(url) is not https, and not on this machine: the token could be read on the way, and all that it opens; use "
          + "https, or say --insecure")
    }
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
