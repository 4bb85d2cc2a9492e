/// The two forms in which metrics are printed.
public enum PrometheusFormat: Sendable, CaseIterable {
  /// Spec: Prometheus text format 0.0.4.
  case text
  /// Spec: OpenMetrics 1.0.0.
  case openMetrics

  /// What a scraper gets that takes these types: OpenMetrics where it likes that no less than the text. Whoever takes
  /// anything, as a browser does, gets the text. Spec: RFC 9110, 12.5.1.
  /// - Parameter accept: the values of `Accept`; none: anything is taken.
  public init(accept: [String]) {
    var (text, any, openMetrics) = (nil as Double?, nil as Double?, 0.0)
    for range in accept.flatMap({ $0.split(separator: ",") }) {
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased() }
      guard let type = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      switch type {
      case "application/openmetrics-text":
        let version = parts.dropFirst().first { $0.hasPrefix("version=") }
        if version == nil || version == "version=1.0.0" { openMetrics = max(openMetrics, weight) }
      case "text/plain": text = max(text ?? 0, weight)
      case "text/*", "*/*": any = max(any ?? 0, weight)
      default: break
      }
    }
    self = openMetrics > 0 && openMetrics >= text ?? any ?? 0 ? .openMetrics : .text
  }

  public var contentType: String {
    switch self {
    case .text: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// What stands before the samples of a metric. OpenMetrics names a counter without the suffix of its samples, and a
  /// unit where the name ends in one.
  func head(_ name: String, _ kind: PrometheusKind, _ help: String) -> String {
    switch self {
    case .text: return "# HELP \(name) \(PrometheusText.help(help))\n# TYPE \(name) \(kind.rawValue)\n"
    case .openMetrics:
      let suffix = "_total"
      let family = kind == .counter && name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
      let unit = Self.units.first { family.hasSuffix("_\($0)") }.map { "# UNIT \(family) \($0)\n" } ?? ""
      return """
        # TYPE \(family) \(kind.rawValue)
        \(unit)# HELP \(family) \(PrometheusText.quotedHelp(help))

        """
    }
  }

  /// The base units that names end in.
  static let units = ["seconds", "bytes"]

  /// The label of a bucket: a fraction in OpenMetrics, also where there is none. Spec: OpenMetrics 1.0.0, canonical
  /// numbers.
  func bound(_ value: Double) -> String {
    self == .openMetrics && value.isFinite ? value.description : PrometheusText.number(value)
  }

  /// Says that nothing was cut off.
  var end: String { self == .openMetrics ? "# EOF\n" : "" }
}
