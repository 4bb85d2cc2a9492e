/// An option, said once: its name, where it may stand, what its values are and which one holds if none is set.
///
/// The schema's row follows from it, and so does whatever reads it: nobody else writes a name, a bound, a default.
/// A reference: keys are asked for with every push.
package final class OptionKey<Value: Sendable>: Sendable {
  package let specification: OptionSpecification
  /// Holds where nothing is set, or nothing that can be read.
  package let builtIn: Value
  @usableFromInline package let read: @Sendable (String) -> Value?

  private init(
    _ specification: OptionSpecification, _ builtIn: Value, _ read: @escaping @Sendable (String) -> Value?
  ) {
    self.specification = specification
    self.builtIn = builtIn
    self.read = read
  }

  /// An option that always has a value.
  package convenience init(
    _ name: String, in sections: Set<SectionKind>, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String,
    takes effect: OptionSpecification.Effect, _ traits: OptionSpecification.Traits = []
  ) {
    self.init(
      OptionSpecification(
        name: name, sections: sections, type: form.type, defaultValue: form.write(builtIn), summary: summary,
        effect: effect, traits: traits), builtIn, form.read)
  }

  /// An option that has a value only if one is set.
  package convenience init<Wrapped: Sendable>(
    _ name: String, in sections: Set<SectionKind>, _ form: OptionForm<Wrapped>, _ summary: String,
    takes effect: OptionSpecification.Effect, _ traits: OptionSpecification.Traits = []
  ) where Value == Wrapped? {
    let read = form.read
    self.init(
      OptionSpecification(
        name: name, sections: sections, type: form.type, defaultValue: nil, summary: summary, effect: effect,
        traits: traits), nil, { read($0).map { .some($0) } })
  }

  package var name: String { specification.name }

  /// What a text says; nil if there is none, or it says no value of this option.
  @inlinable
  package func written(_ text: String?) -> Value? { text.flatMap { read($0) } }
}

extension OptionKey {
  /// An option of pushes: of all, of a provider, of a tag.
  package convenience init(
    push name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String,
    _ traits: OptionSpecification.Traits = []
  ) { self.init(name, in: SectionKind.pushes, form, default: builtIn, summary, takes: .reload, traits) }

  /// One that has a value only if one is set.
  package convenience init<Wrapped: Sendable>(
    push name: String, _ form: OptionForm<Wrapped>, _ summary: String, _ traits: OptionSpecification.Traits = []
  ) where Value == Wrapped? { self.init(name, in: SectionKind.pushes, form, summary, takes: .reload, traits) }
}

/// A key of whatever values, or several of them: what a table of options holds.
package protocol OptionDeclaration {
  var specifications: [OptionSpecification] { get }
}

extension OptionKey: OptionDeclaration {
  package var specifications: [OptionSpecification] { [specification] }
}
