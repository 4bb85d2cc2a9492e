package import OptionKit

/// One option set on the command line or by a `CARILLON_SET_…` variable.
public struct ConfigurationOverride: Sendable, Equatable {
  public let section: String
  public let option: String
  public let value: String
  public let origin: ConfigurationOrigin

  /// A first-class flag, such as `--port 8080`.
  package init<Value>(_ option: OptionKey<Value>, in section: SectionKind, value: String, flag: String) {
    self.section = section.form
    self.option = option.name
    self.value = value
    origin = .commandLine(argument: flag)
  }

  /// The argument of `--set`.
  /// - Throws: `ConfigurationProblem` unless it has the form `section/option=value`.
  public init(argument: String) throws(ConfigurationProblem) {
    try self.init(text: argument) { .commandLine(argument: "--set \($0)") }
  }

  /// - Throws: `ConfigurationProblem` unless `text` has the form `section/option=value`.
  init(variable: String, text: String) throws(ConfigurationProblem) {
    try self.init(text: text) { _ in .environment(variable: variable) }
  }

  private init(text: String, origin: (String) -> ConfigurationOrigin) throws(ConfigurationProblem) {
    guard let equals = text.firstIndex(of: "="), let slash = text[..<equals].firstIndex(of: "/"),
      slash > text.startIndex, text.index(after: slash) < equals
    else { throw ConfigurationProblem(origin("…"), reason: "must have the form section/option=value") }
    section = String(text[..<slash])
    option = String(text[text.index(after: slash)..<equals])
    value = String(text[text.index(after: equals)...])
    self.origin = origin("\(section)/\(option)")
  }
}
