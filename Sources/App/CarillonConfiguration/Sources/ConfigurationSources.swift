public import SystemPackage

/// What a configuration is made of; the later ones win: file, environment, command line.
public struct ConfigurationSources: Sendable {
  /// The file that is read when none is named, if it is there.
  public static let fileByDefault = FilePath("carillon.yaml")

  /// The file named on the command line or by `CARILLON_CONFIG`.
  public var file: FilePath?
  public var environment: [String: String]
  public var overrides: [ConfigurationOverride]

  public init(file: FilePath? = nil, environment: [String: String] = [:], overrides: [ConfigurationOverride] = []) {
    self.file = file
    self.environment = environment
    self.overrides = overrides
  }
}
