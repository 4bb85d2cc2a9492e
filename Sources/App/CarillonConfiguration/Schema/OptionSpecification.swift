/// One row of the schema: an option, where it may stand and what it means.
public struct OptionSpecification: Sendable {
  /// When a changed value counts.
  public enum Effect: String, Sendable {
    /// After SIGHUP, for whatever begins after it; a timer that runs keeps the value it was started with.
    case reload = "on SIGHUP"
    case restart = "after a restart"
    /// Accepted and checked, but this version does not act on it yet.
    case unused = "accepted, not used yet"
  }

  public let name: String
  public let sections: Set<SectionKind>
  public let type: OptionType
  /// The built-in value; nil if there is none.
  public let defaultValue: String?
  public let summary: String
  public let effect: Effect
  /// Never quoted, printed or logged.
  public let isSecret: Bool
  /// May also stand with `debug.` before its name. Spec: GMS 8.2.
  public let hasDebugForm: Bool
  /// A wrong value gives the default and a warning instead of a problem, because the specification says so.
  public let isForgiving: Bool
  /// The name is only how a family of names begins: `bh_regular1`, `bh_regular_weekend`, …
  public let isFamily: Bool
  /// `$name$` is a value too: it stands for the request's field of that name. Spec: GMS 9.8.
  public let takesPlaceholder: Bool

  /// The value in its one form, as `OptionType` has it.
  func normalized(_ text: String) throws(ValueMismatch) -> String {
    let trimmed = text.trimmed
    if takesPlaceholder, trimmed.count > 2, trimmed.hasPrefix("$"), trimmed.hasSuffix("$") { return trimmed }
    return try type.normalized(text)
  }

  init(
    _ name: String, in sections: Set<SectionKind>, _ type: OptionType, default defaultValue: String? = nil,
    _ summary: String, takes effect: Effect, isSecret: Bool = false, hasDebugForm: Bool = false,
    isForgiving: Bool = false, isFamily: Bool = false, takesPlaceholder: Bool = false
  ) {
    self.name = name
    self.sections = sections
    self.type = type
    self.defaultValue = defaultValue
    self.summary = summary
    self.effect = effect
    self.isSecret = isSecret
    self.hasDebugForm = hasDebugForm
    self.isForgiving = isForgiving
    self.isFamily = isFamily
    self.takesPlaceholder = takesPlaceholder
  }
}
