public import NIOCore

/// Where a Carillon server listens.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  public var host: String
  public var port: Int
  /// True for `https`; then the client needs a `TransportSecurity`.
  public var isSecure: Bool
  /// What stands before `/genesys` and `/agent` in every path, without a slash at its end; empty for none.
  public var basePath: String

  public init(host: String, port: Int, isSecure: Bool = false, basePath: String = "") {
    self.host = host
    self.port = port
    self.isSecure = isSecure
    self.basePath = basePath
  }

  /// Reads `http://host[:port][/base]`; an IPv6 address stands in square brackets.
  /// - Throws: `ClientError.invalidAddress`.
  public init(_ url: String) throws(ClientError) {
    let rest: Substring
    if url.hasPrefix("http://") {
      isSecure = false
      rest = url.dropFirst(7)
    } else if url.hasPrefix("https://") {
      isSecure = true
      rest = url.dropFirst(8)
    } else {
      throw .invalidAddress(url)
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var base = String(rest[slash...])
    while base.hasSuffix("/") { base.removeLast() }
    basePath = base
    let authority = rest[..<slash]
    let portText: Substring?
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = String(authority[authority.index(after: authority.startIndex)..<end])
      let after = authority[authority.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else { throw .invalidAddress(url) }
      portText = after.isEmpty ? nil : after.dropFirst()
    } else {
      let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      host = String(parts[0])
      portText = parts.count > 1 ? parts[1] : nil
    }
    guard !host.isEmpty else { throw .invalidAddress(url) }
    if let portText {
      guard let number = Int(portText), (1...65_535).contains(number) else { throw .invalidAddress(url) }
      port = number
    } else {
      port = isSecure ? 443 : 80
    }
  }

  public var description: String { "\(isSecure ? "https" : "http")://\(authority)\(basePath)" }

  /// The value of the `Host` header field.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }
}

/// Makes the handlers that encrypt a connection, such as one `NIOSSLClientHandler` for this host.
///
/// The client brings no TLS library of its own: apps have one, and tests need none.
public typealias TransportSecurity = @Sendable (_ address: ServerAddress) throws -> [any ChannelHandler]
