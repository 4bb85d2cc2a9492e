import Configuration
import OptionKit
import Synchronization

/// The sources, one above the other, read through one `ConfigReader`.
struct ConfigurationLayers {
  private let reader: ConfigReader
  private let witness = Witness()
  private let environment: [String: String]
  private let entries: [ConfigurationEntry]
  private let overrides: [ConfigurationOverride]
  private let sections: [String]
  private let sectionOrigins: [String: ConfigurationOrigin]
  /// What could not even be taken apart.
  private(set) var problems: [ConfigurationProblem] = []

  private static let commandLineLayer = "command line"
  private static let environmentSetLayer = "environment, written whole"
  private static let fileLayer = "configuration file"

  init(_ sources: ConfigurationSources, document: ConfigurationDocument?) {
    environment = sources.environment
    var variables: [ConfigurationOverride] = []
    for name in sources.environment.keys.sorted() where name.hasPrefix(EnvironmentSpelling.setPrefix) {
      do throws(ConfigurationProblem) {
        variables.append(try ConfigurationOverride(variable: name, text: sources.environment[name] ?? ""))
      } catch {
        problems.append(error)
      }
    }
    entries = document?.entries ?? []
    overrides = sources.overrides + variables
    let written =
      (document?.sections ?? []) + overrides.map { ConfigurationSection(name: $0.section, origin: $0.origin) }
    var names = Schema.fixedSections
    var known = Set(names)
    for section in written where known.insert(section.name).inserted { names.append(section.name) }
    sections = names
    sectionOrigins = Dictionary(written.map { ($0.name, $0.origin) }) { first, _ in first }
    // The file goes in through memory: it was read once already, for the line numbers.
    reader = ConfigReader(
      providers: [
        Self.provider(Self.commandLineLayer, sources.overrides.map { ($0.section, $0.option, $0.value) }),
        EnvironmentVariablesProvider(environmentVariables: sources.environment).prefixKeys(with: "carillon"),
        Self.provider(Self.environmentSetLayer, variables.map { ($0.section, $0.option, $0.value) }),
        Self.provider(Self.fileLayer, entries.map { ($0.section, $0.option, $0.value) }),
      ],
      accessReporter: witness)
  }

  /// The value that counts, and where it came from; nil if no source sets it. `option` is the canonical name.
  func value(section: String, option: String) -> (String, ConfigurationOrigin)? {
    guard let text = reader.string(forKey: ConfigKey([section, option])) else { return nil }
    let layer = witness.layer
    func isThis(_ other: (section: String, option: String)) -> Bool {
      other.section == section && Schema.canonicalName(other.option) == option
    }
    switch layer {
    case let name where name.contains(Self.fileLayer):
      guard let entry = entries.last(where: { isThis(($0.section, $0.option)) }) else { return nil }
      return (text, entry.origin)
    case let name where name.contains(Self.commandLineLayer):
      guard
        let override = overrides.last(where: {
          if case .commandLine = $0.origin { isThis(($0.section, $0.option)) } else { false }
        })
      else { return nil }
      return (text, override.origin)
    case let name where name.contains(Self.environmentSetLayer):
      guard
        let override = overrides.last(where: {
          if case .environment = $0.origin { isThis(($0.section, $0.option)) } else { false }
        })
      else { return nil }
      return (text, override.origin)
    default:
      return (text, .environment(variable: EnvironmentSpelling.variable(section: section, option: option)))
    }
  }

  /// Every option that some source sets, under its canonical name; names that the schema does not know go to `judge`.
  func settings(_ judge: inout ConfigurationJudge) -> [(section: String, kind: SectionKind, option: String)] {
    var settings: [(section: String, kind: SectionKind, option: String)] = []
    for section in sections {
      guard let kind = judge.kind(of: section, from: sectionOrigins[section]) else { continue }
      var names: Set<String> = []
      func add(_ option: String, _ origin: ConfigurationOrigin) {
        guard judge.isKnown(option, in: section, kind: kind, from: origin) else { return }
        let canonical = Schema.canonicalName(option)
        if names.insert(canonical).inserted { settings.append((section, kind, canonical)) }
      }
      for entry in entries where entry.section == section { add(entry.option, entry.origin) }
      for override in overrides where override.section == section { add(override.option, override.origin) }
      for option in Schema.options(in: kind) {
        for name in option.hasDebugForm ? [option.name, "debug." + option.name] : [option.name] {
          let variable = EnvironmentSpelling.variable(section: section, option: name)
          if environment[variable] != nil { add(name, .environment(variable: variable)) }
        }
      }
    }
    return settings
  }

  /// Reports options written under two spellings in the file, and `CARILLON_…` variables that mean nothing.
  func judgeStrangers(_ judge: inout ConfigurationJudge) {
    var seen: [[String]: ConfigurationEntry] = [:]
    for entry in entries {
      let key = [entry.section, Schema.canonicalName(entry.option)]
      if let earlier = seen[key] {
        judge.refuse(
          ConfigurationProblem(
            entry.origin, section: entry.section, option: entry.option, reason: "is \(earlier.option) written again"))
      }
      seen[key] = entry
    }
    var meaningful: Set<String> = [EnvironmentSpelling.file, EnvironmentSpelling.token]
    for section in sections {
      guard let kind = SectionKind(section: section) else { continue }
      for option in Schema.options(in: kind) {
        meaningful.insert(EnvironmentSpelling.variable(section: section, option: option.name))
        if option.hasDebugForm {
          meaningful.insert(EnvironmentSpelling.variable(section: section, option: "debug." + option.name))
        }
      }
    }
    for variable in environment.keys.sorted() where variable.hasPrefix(EnvironmentSpelling.prefix) {
      if meaningful.contains(variable) || variable.hasPrefix(EnvironmentSpelling.setPrefix) { continue }
      if EnvironmentSpelling.isForeign(variable) { continue }
      let nearest = Schema.nearest(to: variable, among: meaningful.sorted())
      // Others may use the prefix: what a shell happens to hold must not keep a server from starting.
      judge.warn(
        ConfigurationProblem(
          .environment(variable: variable),
          reason: "names no option of a section that exists" + (nearest.map { "; did you mean \($0)?" } ?? "")))
    }
  }

  private static func provider(_ name: String, _ values: [(String, String, String)]) -> InMemoryProvider {
    var table: [AbsoluteConfigKey: ConfigValue] = [:]
    for (section, option, value) in values {
      table[AbsoluteConfigKey([section, Schema.canonicalName(option)])] = ConfigValue(.string(value), isSecret: true)
    }
    return InMemoryProvider(name: name, values: table)
  }
}

/// Notes which layer gave the value that was read last.
private final class Witness: AccessReporter {
  private let last = Mutex("")

  var layer: String { last.withLock { $0 } }

  func report(_ event: AccessEvent) {
    let name = event.providerResults.last { (try? $0.result.get().value) != nil }?.providerName ?? ""
    last.withLock { $0 = name }
  }
}
