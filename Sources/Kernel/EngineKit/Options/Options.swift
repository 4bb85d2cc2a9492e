package import OptionKit

/// The configuration as the specification lays it out: sections of named options, all values texts.
/// Spec: GMS 8.1, 8.2.
public struct Options: Sendable, Equatable {
  public var sections: [String: [String: String]]
  /// What apps show their users.
  public var texts: TextTable

  public init(sections: [String: [String: String]] = [:], texts: TextTable = TextTable()) {
    self.sections = sections
    self.texts = texts
  }

  /// The section that there is one of.
  package func section(_ kind: SectionKind) -> SectionReader { SectionReader(sections[kind.form]) }

  package func serviceSection(_ service: String) -> SectionReader { SectionReader(sections["service.\(service)"]) }

  /// The services that are configured: the part after `service.` of each such section. Sorted.
  public var serviceNames: [String] {
    sections.keys.filter { $0.hasPrefix("service.") }.map { String($0.dropFirst("service.".count)) }.sorted()
  }

  /// A configuration that names no service at all has the one that every client of this API asks for.
  public static let defaultService = "request-chat"

  public func hasService(_ name: String) -> Bool {
    sections["service.\(name)"] != nil || (name == Self.defaultService && serviceNames.isEmpty)
  }

  /// An option of a service: its own section, then the section `chat`. Nil leaves the built-in default. Spec: GMS 8.2.
  public func service(_ service: String, _ name: String) -> String? {
    sections["service.\(service)"]?[name] ?? sections["chat.\(service)"]?[name] ?? sections["chat"]?[name]
  }

  /// An option of a push: from the most specific section to the most general. The first section that contains it wins,
  /// an empty value counts; with `debug`, `debug.<name>` is searched through all sections first.
  /// An option `apple.*` is also found under its older spelling `ios.*`. Spec: GMS 8.2, 8.3.
  public func push(_ name: String, provider: String? = nil, tag: String, debug: Bool = false) -> String? {
    let order = pushSections(provider: provider, tag: tag)
    for spelling in debug ? ["debug.\(name)", name] : [name] {
      for section in order {
        if let value = sections[section]?[spelling] { return value }
        if spelling.hasPrefix("apple."), let value = sections[section]?["ios." + spelling.dropFirst("apple.".count)] {
          return value
        }
      }
    }
    return nil
  }

  /// Every option of a push at once, under each name that `push` finds it by.
  package func push(provider: String?, tag: String, debug: Bool) -> [String: String] {
    var found: [String: String] = [:]
    // What is more specific comes later and goes over what was there.
    for name in pushSections(provider: provider, tag: tag).reversed() {
      guard let section = sections[name] else { continue }
      for (option, value) in section where option.hasPrefix("ios.") {
        found["apple." + option.dropFirst("ios.".count)] = value
      }
      found.merge(section) { $1 }
    }
    guard debug else { return found }
    for (option, value) in found where option.hasPrefix("debug.") {
      found[String(option.dropFirst("debug.".count))] = value
    }
    return found
  }

  /// User name and password that open `service`, or the whole server; a service's own pair replaces the server's.
  /// Spec: GMS 2.5.
  public func credentials(service: String? = nil) -> (username: String, password: String)? {
    if let service, let own = Self.pair(in: serviceSection(service)) { return own }
    return Self.pair(in: section(.server))
  }

  /// The elements of a comma-separated list, blanks trimmed, empty elements left out.
  public static func list(_ text: String) -> [String] { OptionType.members(of: text) }

  /// An empty name or password is one too.
  private static func pair(in section: SectionReader) -> (username: String, password: String)? {
    let keys = CredentialOptions.keys
    guard let username = section.text(of: keys.username.name), let password = section.text(of: keys.password.name)
    else {
      return nil
    }
    return (username, password)
  }

  private func pushSections(provider: String?, tag: String) -> [String] {
    var tags: [String] = []
    var parts = tag.split(separator: ".")
    while !parts.isEmpty {
      tags.append(parts.joined(separator: "."))
      parts.removeLast()
    }
    var order: [String] = []
    if let provider { order += tags.map { "push.provider.\(provider).event.\($0)" } }
    order += tags.map { "push.provider.event.\($0)" }
    if let provider { order.append("push.provider.\(provider)") }
    order.append("push")
    return order
  }
}

extension Options: OptionReader {
  /// What section `server` says of an option.
  package func text(of name: String) -> String? { section(.server).text(of: name) }
}
