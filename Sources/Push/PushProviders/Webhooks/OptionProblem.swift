/// An option that cannot be used, in words for the operator: its name, never its value.
public struct OptionProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// Such as `malformed: webhooks.secret`.
  public let description: String

  public init(_ description: String) { self.description = description }

  /// The value is not what the option takes.
  public init(malformed name: String) { self.init("malformed: \(name)") }

  /// The option names a file that cannot be read.
  public init(unreadable name: String) { self.init("unreadable: \(name)") }

  /// The option is not set or empty.
  public init(missing name: String) { self.init("not set: \(name)") }
}
