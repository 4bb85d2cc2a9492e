internal import NetworkAddress
import OptionKit
public import PushDomain

/// Which receivers may be posted to, where the URLs come from apps or tenants. Spec: providers 4.5.
///
/// Options: `webhooks.allow_private`, addresses and blocks (`10.0.0.0/8,127.0.0.1,fd00::/8`) that may be used although
/// they are not public; `webhooks.ports`, the ports that may be used at public addresses.
public struct EndpointPolicy: Sendable, Equatable {
  /// Ports at public addresses unless the option says otherwise.
  public static let defaultPorts = Set(WebhookOptions.keys.ports.builtIn.compactMap { port($0) })
  /// Entries of one list.
  public static let entriesMaximum = 256

  var privateBlocks: [AddressBlock]
  var ports: Set<Int>
  var allowsAllPrivate: Bool
  /// `http` only to addresses that are not public.
  var needsTLSOutside: Bool
  /// `https` only, wherever it leads.
  var needsTLS: Bool

  /// - Parameters:
  ///   - allowsAllPrivate: any private address may be used, whatever the list says.
  ///   - needsTLSOutside: public receivers must be `https`.
  ///   - needsTLS: all receivers must be `https`.
  /// - Throws: an option that is malformed.
  public init(
    _ options: PushOptions, allowsAllPrivate: Bool = false, needsTLSOutside: Bool = false, needsTLS: Bool = false
  ) throws(OptionProblem) {
    self.allowsAllPrivate = allowsAllPrivate
    self.needsTLSOutside = needsTLSOutside
    self.needsTLS = needsTLS
    let keys = WebhookOptions.keys
    privateBlocks = try Self.entries(options[keys.privateNetworks] ?? [], of: keys.privateNetworks.name) {
      AddressBlock($0)
    }
    let ports = try Self.entries(options[keys.ports], of: keys.ports.name) { Self.port($0) }
    self.ports = ports.isEmpty ? Self.defaultPorts : Set(ports)
  }

  private static func port(_ text: String) -> Int? {
    Int(text).flatMap { (1...65_535).contains($0) ? $0 : nil }
  }

  private static func entries<Entry>(
    _ texts: [String], of name: String, _ read: (String) -> Entry?
  ) throws(OptionProblem) -> [Entry] {
    let entries = texts.prefix(entriesMaximum + 1).compactMap(read)
    guard entries.count == texts.count, entries.count <= entriesMaximum else { throw OptionProblem(malformed: name) }
    return entries
  }

  /// What is wrong with a URL as far as it can be told without asking for its name's addresses: for the moment when it
  /// is configured or registered. Nil if nothing is.
  public func objection(to url: String) -> String? {
    guard let url = WebhookURL(url) else { return "invalid URL" }
    return objection(toSchemeOf: url) ?? url.address.flatMap { objection(to: url, at: [$0]) }
  }

  /// What is wrong with posting to this URL wherever it leads; nil if nothing is.
  func objection(toSchemeOf url: WebhookURL) -> String? { needsTLS && !url.isTLS ? "not https" : nil }

  /// What is wrong with posting to this URL, all addresses of which are given; nil if nothing is.
  func objection(to url: WebhookURL, at addresses: [IPAddress]) -> String? {
    if !addresses.allSatisfy({ $0.isPublic || allows($0) }) { return "private address" }
    // The operator's word on an address holds for all its ports.
    if !addresses.allSatisfy({ allows($0) }) {
      if !ports.contains(url.port) { return "port not allowed" }
      if needsTLSOutside, !url.isTLS { return "not https" }
    }
    return nil
  }

  /// True for a private address that may be used.
  func allows(_ address: IPAddress) -> Bool {
    !address.isPublic && (allowsAllPrivate || privateBlocks.contains { $0.contains(address) })
  }
}
