/// Where a value came from.
public enum ConfigurationOrigin: Sendable, Hashable, CustomStringConvertible {
  /// Line numbers begin at 1; nil where the file as a whole is meant.
  case file(path: String, line: Int?)
  case environment(variable: String)
  /// The argument as it was written, without its value.
  case commandLine(argument: String)

  public var description: String {
    switch self {
    case .file(let path, let line?): "\(path):\(line)"
    case .file(let path, nil): path
    case .environment(let variable): "environment \(variable)"
    case .commandLine(let argument): "command line \(argument)"
    }
  }
}

/// Something in the configuration that is refused, or that deserves a warning.
public struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let origin: ConfigurationOrigin
  public let section: String?
  public let option: String?
  public let reason: String

  public init(_ origin: ConfigurationOrigin, section: String? = nil, option: String? = nil, reason: String) {
    self.origin = origin
    self.section = section
    self.option = option
    self.reason = reason
  }

  /// One line: where, which section, which option, why. Names are shown as they were written, but for what would break
  /// the line or steer a terminal.
  public var description: String {
    var line = "\(origin): "
    if let section { line += "section \(section)" }
    if let option { line += (section == nil ? "" : ", ") + "option \(option)" }
    if section != nil || option != nil { line += ": " }
    return (line + reason).withoutControls
  }
}

/// A configuration that is refused: every problem that was found, in the order of the sources.
public struct ConfigurationRefused: Error, Sendable, CustomStringConvertible {
  public let problems: [ConfigurationProblem]
  public let warnings: [ConfigurationProblem]

  public init(problems: [ConfigurationProblem], warnings: [ConfigurationProblem] = []) {
    self.problems = problems
    self.warnings = warnings
  }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
