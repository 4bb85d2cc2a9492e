public import HTTPEdge
import OptionKit

extension LoadedConfiguration {
  /// The options in force, by section and name: all of the sections that there is one of, and of the others those that
  /// are set.
  /// - Parameter started: what the process was started with: what only a restart takes over stays as it was there.
  public func inForce(startedWith started: LoadedConfiguration) -> [ConfiguredOption] {
    let sections = Set(Schema.fixedSections).union(self.sections.keys).union(started.sections.keys)
    return sections.sorted().flatMap { section -> [ConfiguredOption] in
      guard let kind = SectionKind(section: section) else { return [] }
      let set = Set((self.sections[section] ?? [:]).keys).union((started.sections[section] ?? [:]).keys)
      let standing =
        Schema.fixedSections.contains(section) ? Schema.options(in: kind).filter { !$0.isFamily }.map(\.name) : []
      return set.union(standing).sorted().compactMap { name in
        option(name, in: section, kind, started: started)
      }
    }
  }

  /// Nil for one that is set nowhere any more and has no standing value in its section.
  private func option(
    _ name: String, in section: String, _ kind: SectionKind, started: LoadedConfiguration
  ) -> ConfiguredOption? {
    guard let option = Schema.option(name, in: kind) else { return nil }
    let source = option.effect == .restart ? started : self
    let value = source.sections[section]?[name]
    guard value != nil || Schema.fixedSections.contains(section) else { return nil }
    let origin = value == nil ? nil : source.origins[section]?[name]
    let effect: ConfiguredOption.Effect =
      switch option.effect {
      case .reload: .reload
      case .restart: .restart
      case .unused: .unused
      }
    return ConfiguredOption(
      section: section, name: name, value: value ?? option.defaultValue, origin: origin?.kind ?? .builtIn,
      place: origin.map { "\($0)" }, isSecret: option.isSecret, effect: effect, summary: option.summary)
  }
}

extension ConfigurationOrigin {
  fileprivate var kind: ConfiguredOption.Origin {
    switch self {
    case .file: .file
    case .environment: .environment
    case .commandLine: .argument
    }
  }
}
