import Synchronization

/// An option in force, as operators are shown it.
public struct ConfiguredOption: Sendable, Equatable {
  /// Who has set it.
  public enum Origin: String, Sendable, CaseIterable {
    case builtIn
    case file
    case environment
    case argument
  }

  /// When a changed value counts.
  public enum Effect: String, Sendable, CaseIterable {
    case reload
    case restart
    /// Accepted, and not used by this version.
    case unused
  }

  public let section: String
  public let name: String
  /// Nil if it has none, and of secrets.
  public let value: String?
  public let origin: Origin
  /// File and line, variable or argument; nil for built-in values.
  public let place: String?
  public let isSecret: Bool
  public let effect: Effect
  public let summary: String

  public init(
    section: String, name: String, value: String?, origin: Origin, place: String?, isSecret: Bool, effect: Effect,
    summary: String
  ) {
    self.section = section
    self.name = name
    self.value = isSecret ? nil : value
    self.origin = origin
    self.place = place
    self.isSecret = isSecret
    self.effect = effect
    self.summary = summary
  }

  /// Its place in the list.
  var id: String { "\(section)/\(name)" }
}

/// The options in force, for whoever asks; replaced as a whole when the operator reloads.
public final class ConfigurationInForce: Sendable {
  private let options: Mutex<[ConfiguredOption]>

  public init(_ options: [ConfiguredOption] = []) { self.options = Mutex(options) }

  public func replace(_ fresh: [ConfiguredOption]) { options.withLock { $0 = fresh } }

  var current: [ConfiguredOption] { options.withLock { $0 } }
}
