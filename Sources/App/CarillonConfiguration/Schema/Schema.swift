import CCSEdge
import DeviceEdge
import EdgeSecurity
package import Engine
import HTTPEdge
package import OptionKit
import PushProviders

/// Every option there is: validates, gives defaults, and is printed by `carillon config options`.
///
/// A new option is a key in the table of the capability that reads it.
package enum Schema {
  /// What the server is made of, for whoever runs it: the process, its ports, its capabilities, its providers.
  private static let parts: [any ServerPart.Type] =
    [ServerOptions.self, HTTPPort.self, DevicePort.self, CCSPort.self] + Catalogue.features
    + [Node.self, ProviderOptions.self, BudgetSettings.self]

  /// Every metric there is.
  package static let metrics: [MetricKey] = parts.flatMap { $0.metrics }

  /// Limits and budgets come last in their section.
  package static let options: [OptionSpecification] = limitsLast(parts.flatMap { $0.options })

  private static func limitsLast(_ options: [OptionSpecification]) -> [OptionSpecification] {
    options.filter { !$0.isBound } + options.filter(\.isBound)
  }

  /// The sections that every configuration has, whether the file names them or not.
  package static let fixedSections = ["server", "push", "chat", "callback", "support"]

  private static let byName: [String: [OptionSpecification]] = Dictionary(grouping: options, by: \.name)

  /// The one spelling under which an option is stored: `ios.` is an old spelling of `apple.`. Spec: GMS 8.3.
  package static func canonicalName(_ name: String) -> String {
    if let rest = name.removing(prefix: "debug.") { return "debug." + canonicalName(rest) }
    if let rest = name.removing(prefix: "ios.") { return "apple." + rest }
    return name
  }

  private static let families = options.filter(\.isFamily)

  /// The row for `name` in a section of this kind; nil if it may not stand there.
  package static func option(_ name: String, in kind: SectionKind) -> OptionSpecification? {
    let canonical = canonicalName(name)
    if let match = byName[canonical]?.first(where: { $0.sections.contains(kind) }) { return match }
    if let plain = canonical.removing(prefix: "debug.") {
      return byName[plain]?.first { $0.hasDebugForm && $0.sections.contains(kind) }
    }
    return families.first { canonical.hasPrefix($0.name) && $0.sections.contains(kind) }
  }

  package static func options(in kind: SectionKind) -> [OptionSpecification] {
    options.filter { $0.sections.contains(kind) }
  }

  /// The nearest name that may stand in a section of this kind; nil if none is near.
  static func suggestion(for name: String, in kind: SectionKind) -> String? {
    nearest(to: name, among: options(in: kind).map(\.name))
  }

  /// The section that may have been meant; nil if none is near.
  static func suggestion(forSection name: String) -> String? {
    guard let dot = name.firstIndex(of: ".") else { return nearest(to: name, among: fixedSections) }
    let beginnings = ["service", "chat", "push", "support", "channels"]
    return nearest(to: String(name[..<dot]), among: beginnings).map { $0 + name[dot...] }
      .flatMap { SectionKind(section: $0) == nil ? nil : $0 }
  }

  /// The name that was probably meant; nil if none is near.
  package static func nearest(to name: String, among names: [String]) -> String? {
    let wanted = Array(name.lowercased().utf8)
    let distances = names.map { (name: $0, distance: editDistance(wanted, Array($0.lowercased().utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= min(Limits.suggestionDistanceMaximum, wanted.count / 2) ? best.name : nil
  }

  /// Levenshtein distance, one row at a time.
  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard abs(left.count - right.count) <= Limits.suggestionDistanceMaximum else { return .max }
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(min(above, row[j]) + 1, diagonal + (a == b ? 0 : 1))
        diagonal = above
      }
    }
    return row[right.count]
  }
}

extension OptionSpecification {
  /// `limits.…`, `budget.…`
  fileprivate var isBound: Bool { name.hasPrefix("limits.") || name.hasPrefix("budget.") }
}
