package import NIOHTTP1
public import NetworkAddress
package import OptionKit

/// The proxies before this server, whose word on where a request comes from is taken.
///
/// Each proxy writes the address that it was connected from behind those that the header holds already. So the entries
/// are read from the last to the first, and the first address that is no trusted proxy's is the client's: what stands
/// before it was written by the client, or by somebody whom nobody here knows.
public struct TrustedProxies: Sendable, Equatable {
  public let networks: [AddressBlock]
  public let header: ProxyHeader

  /// Whoever is connected is the client.
  public static let none = TrustedProxies([])

  public init(_ networks: [AddressBlock], header: ProxyHeader = .xForwardedFor) {
    self.networks = networks
    self.header = header
  }

  /// Whether the one at the other end of a connection is such a proxy.
  package func trusts(_ peer: IPAddress?) -> Bool {
    peer.map { peer in networks.contains { $0.contains(peer) } } ?? false
  }

  /// Whose request it is, as far as the proxies can tell.
  /// - Parameter peer: the other end of the connection; nil if it is a file.
  package func client(_ headers: HTTPHeaders, peer: IPAddress?) -> IPAddress? {
    guard !networks.isEmpty, let peer, trusts(peer) else { return peer }
    let entries = headers[header.rawValue].flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    var client = peer
    for entry in entries.suffix(EdgeLimits.forwardedHopsMaximum).reversed() {
      // A proxy that does not tell, or a text that is no address: further than the one who wrote it nobody sees.
      guard let address = address(in: entry) else { return client }
      client = address
      guard trusts(address) else { return client }
    }
    return client
  }

  /// Whether the client speaks TLS with the proxy that it is connected to, as far as the proxies can tell. Of several
  /// words the last stands: the one of the proxy that we see.
  /// - Parameter peer: the other end of the connection.
  package func sayTLS(_ headers: HTTPHeaders, peer: IPAddress?) -> Bool {
    guard !networks.isEmpty, trusts(peer) else { return false }
    switch header {
    case .xForwardedFor:
      guard let word = headers["x-forwarded-proto"].last?.split(separator: ",").last else { return false }
      return Self.trimmed(word).lowercased() == "https"
    case .forwarded:
      guard let element = headers["forwarded"].last?.split(separator: ",").last else { return false }
      return Self.value(of: "proto", inElement: element)?.lowercased() == "https"
    }
  }

  private func address(in entry: Substring) -> IPAddress? {
    switch header {
    case .xForwardedFor: Self.address(ofNode: Self.trimmed(entry))
    case .forwarded: Self.value(of: "for", inElement: entry).flatMap { Self.address(ofNode: $0) }
    }
  }

  /// The value of `for`, say. Commas in quoted values are not minded: an element that was cut by one names no address.
  private static func value(of name: String, inElement element: Substring) -> Substring? {
    for pair in element.split(separator: ";") {
      let pair = trimmed(pair)
      guard let equals = pair.firstIndex(of: "="), pair[..<equals].lowercased() == name else { continue }
      let value = pair[pair.index(after: equals)...]
      guard value.first == "\"" else { return value }
      guard value.count >= 2, value.last == "\"" else { return nil }
      return value.dropFirst().dropLast()
    }
    return nil
  }

  /// `192.0.2.7`, `192.0.2.7:4711`, `2001:db8::7`, `[2001:db8::7]` or `[2001:db8::7]:4711`; nil for anything else.
  private static func address(ofNode node: Substring) -> IPAddress? {
    if node.first == "[" {
      guard let end = node.firstIndex(of: "]") else { return nil }
      let rest = node[node.index(after: end)...]
      guard rest.isEmpty || (rest.first == ":" && isPort(rest.dropFirst())) else { return nil }
      return IPAddress(node[node.index(after: node.startIndex)..<end])
    }
    if let address = IPAddress(node) { return address }
    guard let colon = node.firstIndex(of: ":"), isPort(node[node.index(after: colon)...]) else { return nil }
    return IPAddress(node[..<colon])
  }

  private static func isPort(_ text: Substring) -> Bool {
    (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}

extension TrustedProxies {
  package init(_ options: some OptionReader) {
    let keys = AccessOptions.keys
    self.init(options[keys.proxies] ?? [], header: options[keys.proxyHeader])
  }
}
