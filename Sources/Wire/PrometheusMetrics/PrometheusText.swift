/// Names, labels and numbers as the text format wants them.
enum PrometheusText {
  /// `push.attempts` → `push_attempts_total`: what the format does not allow becomes `_`; the suffix comes once.
  static func name(_ label: String, suffix: String) -> String {
    let name = sanitized(label, allowing: ":")
    return name.hasSuffix(suffix) ? name : name + suffix
  }

  /// `{a="1",b="2"}`, sorted by name, or nothing. Of two labels with one name the last counts.
  static func labels(_ dimensions: [(String, String)], valueLengthMaximum: Int) -> String {
    var values: [String: String] = [:]
    for (name, value) in dimensions {
      var name = sanitized(name)
      // Names that the format and Prometheus keep for themselves.
      if name == "le" || name == "quantile" || name.hasPrefix("__") { name = "exported_" + name }
      values[name] = String(value.prefix(valueLengthMaximum))
    }
    guard !values.isEmpty else { return "" }
    let pairs = values.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value, quote: true))\"" }
    return "{\(pairs.joined(separator: ","))}"
  }

  /// `labels` with one more at the end.
  static func labels(_ labels: String, adding name: String, _ value: String) -> String {
    let pair = "\(name)=\"\(value)\""
    return labels.isEmpty ? "{\(pair)}" : "\(labels.dropLast()),\(pair)}"
  }

  static func help(_ text: String) -> String { escaped(text, quote: false) }

  /// As OpenMetrics has it.
  static func quotedHelp(_ text: String) -> String { escaped(text, quote: true) }

  /// Whole numbers without a fraction, infinities as the format spells them.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return Int64(exactly: value).map { String($0) } ?? value.description
  }

  private static func sanitized(_ text: String, allowing extra: Character? = nil) -> String {
    var result = ""
    for character in text {
      let isLetter = character.isASCII && (character.isLetter || character == "_" || character == extra)
      let isDigit = character.isASCII && character.isNumber
      if isDigit && result.isEmpty { result = "_" }
      result.append(isLetter || isDigit ? character : "_")
    }
    return result.isEmpty ? "_" : result
  }

  private static func escaped(_ text: String, quote: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += #"\\"#
      case "\n": result += #"\n"#
      case "\"" where quote: result += #"\""#
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
