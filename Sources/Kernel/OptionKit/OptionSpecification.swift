/// An option as the schema has it: where it may stand and what it means. What it is of is its `OptionKey`.
package struct OptionSpecification: Sendable {
  /// When a changed value counts.
  package enum Effect: String, Sendable {
    /// After SIGHUP, for whatever begins after it; a timer that runs keeps the value it was started with.
    case reload = "on SIGHUP"
    case restart = "after a restart"
    /// Accepted and checked, but this version does not act on it yet.
    case unused = "accepted, not used yet"
  }

  /// What few options are.
  package struct Traits: OptionSet, Sendable {
    /// Never quoted, printed or logged.
    package static let secret = Traits(rawValue: 1)
    /// May also stand with `debug.` before its name. Spec: GMS 8.2.
    package static let debugForm = Traits(rawValue: 2)
    /// A wrong value gives the default and a warning instead of a problem, because the specification says so.
    package static let forgiving = Traits(rawValue: 4)
    /// The name is only how a family of names begins: `bh_regular1`, `bh_regular_weekend`, …
    package static let family = Traits(rawValue: 8)
    /// `$name$` is a value too: it stands for the request's field of that name. Spec: GMS 9.8.
    package static let placeholder = Traits(rawValue: 16)

    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  package let name: String
  package let sections: Set<SectionKind>
  package let type: OptionType
  /// The built-in value as a source would write it; nil if there is none.
  package let defaultValue: String?
  package let summary: String
  package let effect: Effect
  package let traits: Traits

  package init(
    name: String, sections: Set<SectionKind>, type: OptionType, defaultValue: String?, summary: String, effect: Effect,
    traits: Traits
  ) {
    self.name = name
    self.sections = sections
    self.type = type
    self.defaultValue = defaultValue
    self.summary = summary
    self.effect = effect
    self.traits = traits
  }

  package var isSecret: Bool { traits.contains(.secret) }
  package var hasDebugForm: Bool { traits.contains(.debugForm) }
  package var isForgiving: Bool { traits.contains(.forgiving) }
  package var isFamily: Bool { traits.contains(.family) }
  package var takesPlaceholder: Bool { traits.contains(.placeholder) }
}
