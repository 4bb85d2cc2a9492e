/// Settings whose fields operators set: each option of theirs is a field, and what the field begins with is the
/// option's built-in value.
package protocol OptionSettings: Sendable {
  init()

  static var fields: [OptionField<Self>] { get }
  /// Where they stand; section `server` unless it is said.
  static var section: SectionKind { get }
  /// After a restart unless it is said.
  static var effect: OptionSpecification.Effect { get }
}

extension OptionSettings {
  package static var section: SectionKind { .server }
  package static var effect: OptionSpecification.Effect { .restart }
  package static var options: [OptionSpecification] { fields.map(\.specification) }

  /// As the options say it.
  package init(_ options: some OptionReader) {
    self.init()
    for field in Self.fields { field.fill(&self, options) }
  }
}

/// An option that is a field of some settings.
package struct OptionField<Settings: OptionSettings>: Sendable {
  package let specification: OptionSpecification
  fileprivate let fill: @Sendable (inout Settings, any OptionReader) -> Void

  /// A field that always has a value.
  package init<Value>(
    _ name: String, _ field: any WritableKeyPath<Settings, Value> & Sendable, _ form: OptionForm<Value>,
    _ summary: String,
    _ traits: OptionSpecification.Traits = []
  ) {
    let builtIn = Settings()[keyPath: field]
    self.init(
      OptionKey(name, in: [Settings.section], form, default: builtIn, summary, takes: Settings.effect, traits), field)
  }

  /// A field that is nil unless the option is set.
  package init<Wrapped>(
    _ name: String, _ field: any WritableKeyPath<Settings, Wrapped?> & Sendable, _ form: OptionForm<Wrapped>,
    _ summary: String, _ traits: OptionSpecification.Traits = []
  ) {
    self.init(OptionKey(name, in: [Settings.section], form, summary, takes: Settings.effect, traits), field)
  }

  private init<Value>(_ key: OptionKey<Value>, _ field: any WritableKeyPath<Settings, Value> & Sendable) {
    specification = key.specification
    fill = { settings, options in
      if let value = options.ifSet(key) { settings[keyPath: field] = value }
    }
  }
}
