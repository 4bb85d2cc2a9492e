public import Engine

/// A configuration that has been found good: what was set, in the one form of each type; defaults are not written in.
public struct LoadedConfiguration: Sendable {
  /// Section → option → value. Only what a source set: the order of look-up needs to know what is absent.
  public let sections: [String: [String: String]]
  /// Where each value came from, by section and option.
  public let origins: [String: [String: ConfigurationOrigin]]
  /// What apps show their users.
  public let texts: TextTable
  /// What is odd but not refused.
  public let warnings: [ConfigurationProblem]
  /// The file that was read; nil if there was none.
  public let file: String?

  /// The value of an option of section `server`, or its built-in value.
  public func server(_ name: String) -> String? { sections["server"]?[name] ?? Schema.serverDefault(name) }

  /// The options of section `server` whose values differ in `other` and that a running process cannot take over.
  public func optionsThatNeedRestart(comparedTo other: LoadedConfiguration) -> [String] {
    Schema.options(in: .server).filter { $0.effect == .restart && server($0.name) != other.server($0.name) }
      .map(\.name)
  }
}
