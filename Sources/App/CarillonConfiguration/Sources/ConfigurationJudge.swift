import Engine
import OptionKit

/// Collects what is good and what is not.
struct ConfigurationJudge {
  private var problems: [ConfigurationProblem]
  private var warnings: [ConfigurationProblem] = []
  private(set) var sections: [String: [String: String]] = [:]
  private(set) var origins: [String: [String: ConfigurationOrigin]] = [:]

  init(problems: [ConfigurationProblem]) { self.problems = problems }

  mutating func refuse(_ problem: ConfigurationProblem) { problems.append(problem) }

  mutating func warn(_ problem: ConfigurationProblem) { warnings.append(problem) }

  /// What has been taken so far, and where it came from.
  func value(of option: String, in section: String) -> (value: String, origin: ConfigurationOrigin)? {
    guard let value = sections[section]?[option], let origin = origins[section]?[option] else { return nil }
    return (value, origin)
  }

  func value<Value>(
    of key: OptionKey<Value>, in kind: SectionKind
  ) -> (value: String, origin: ConfigurationOrigin)? { value(of: key.name, in: kind.form) }

  /// Complains of an option that is set.
  mutating func refuse<Value>(_ key: OptionKey<Value>, in kind: SectionKind, _ reason: String) {
    guard let (_, origin) = value(of: key, in: kind) else { return }
    refuse(ConfigurationProblem(origin, section: kind.form, option: key.name, reason: reason))
  }

  /// Warns of an option that is set there.
  mutating func warn<Value>(
    _ key: OptionKey<Value>, in kind: SectionKind, _ origin: ConfigurationOrigin, _ reason: String
  ) {
    warn(ConfigurationProblem(origin, section: kind.form, option: key.name, reason: reason))
  }

  /// nil, and a problem, for a section that has no meaning.
  mutating func kind(of section: String, from origin: ConfigurationOrigin?) -> SectionKind? {
    if let kind = SectionKind(section: section) {
      // A service exists by being named, also with nothing but built-in values; so does an app.
      if kind == .service || kind == .supportApp { sections[section] = sections[section] ?? [:] }
      return kind
    }
    let origin = origin ?? .file(path: "configuration", line: nil)
    let forms = SectionKind.allCases.map(\.form)
    let nearest = Schema.suggestion(forSection: section)
    refuse(
      ConfigurationProblem(
        origin, section: section,
        reason: "unknown section"
          + (nearest.map { "; did you mean \($0)?" } ?? "; there are " + forms.joined(separator: ", "))))
    return nil
  }

  /// False, and a problem, for an option that may not stand in this section.
  mutating func isKnown(
    _ option: String, in section: String, kind: SectionKind, from origin: ConfigurationOrigin
  ) -> Bool {
    if Schema.option(option, in: kind) != nil { return true }
    // Where any name may stand is no hint.
    let elsewhere = SectionKind.allCases.filter { $0 != .supportAgents && Schema.option(option, in: $0) != nil }
      .map(\.form)
    let hint: String
    if !elsewhere.isEmpty {
      hint = "may not stand here, but in " + elsewhere.joined(separator: ", ")
    } else if let nearest = Schema.suggestion(for: option, in: kind) {
      hint = "unknown option; did you mean \(nearest)?"
    } else {
      hint = "unknown option"
    }
    let problem = ConfigurationProblem(origin, section: section, option: option, reason: hint)
    if !problems.contains(problem) { refuse(problem) }
    return false
  }

  mutating func take(
    _ value: String, for option: String, in section: String, kind: SectionKind, from origin: ConfigurationOrigin
  ) {
    guard let specification = Schema.option(option, in: kind) else { return }
    do throws(ValueMismatch) {
      let normalized = try specification.normalized(value)
      sections[section, default: [:]][option] = normalized
      origins[section, default: [:]][option] = origin
      if case .eventTypes = specification.type { warnOfUnknownTypes(normalized, option, section, origin) }
    } catch {
      let shown = !error.quotesValue || specification.isSecret || value.isEmpty ? "" : ", not \(value.quoted)"
      let outcome = specification.isForgiving ? "; \(specification.defaultValue ?? "") is used" : ""
      let problem = ConfigurationProblem(
        origin, section: section, option: option, reason: error.reason + shown + outcome)
      if specification.isForgiving {
        warnings.append(problem)
        sections[section, default: [:]][option] = specification.defaultValue
        origins[section, default: [:]][option] = origin
      } else {
        refuse(problem)
      }
    }
  }

  /// - Throws: `ConfigurationRefused` if anything was refused.
  consuming func verdict(file: String?) throws(ConfigurationRefused) -> LoadedConfiguration {
    judgePairs()
    judgeHours()
    judgeSupport()
    judgeChannels()
    warnOfTheOpenWeb()
    judgeConsole()
    judgeOpenID()
    judgeFiles()
    judgeLog()
    judgePartitions()
    judgeIdentity()
    let texts = texts()
    guard problems.isEmpty else {
      var shown = Array(Self.inOrder(problems).prefix(Limits.problemsMaximum))
      if let last = shown.last, problems.count > shown.count {
        shown.append(ConfigurationProblem(last.origin, reason: "and \(problems.count - shown.count) more problems"))
      }
      throw ConfigurationRefused(problems: shown, warnings: warnings)
    }
    return LoadedConfiguration(
      sections: sections, origins: origins, texts: texts, warnings: warnings, file: file)
  }

  /// By line of the file; what other sources brought comes after.
  private static func inOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
    let keyed = problems.enumerated().map { index, problem in
      if case .file(_, let line) = problem.origin { ((line ?? 0, index), problem) } else { ((Int.max, index), problem) }
    }
    return keyed.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Options that mean nothing without each other.
  private mutating func judgePairs() {
    let (server, credentials) = (ServerOptions.keys, CredentialOptions.keys)
    let pairs = [
      (credentials.username.name, credentials.password.name), (server.certificate.name, server.certificateKey.name),
    ]
    let together = pairs.flatMap { [$0, ($0.1, $0.0)] }
    for (section, options) in sections.sorted(by: { $0.key < $1.key }) {
      for (present, needed) in together where options[present] != nil && options[needed] == nil {
        guard let origin = origins[section]?[present] else { continue }
        refuse(
          ConfigurationProblem(origin, section: section, option: present, reason: "needs option \(needed) beside it"))
      }
    }
  }

  private mutating func warnOfUnknownTypes(
    _ list: String, _ option: String, _ section: String, _ origin: ConfigurationOrigin
  ) {
    for name in list.split(separator: ",") where !Schema.eventTypes.contains(String(name)) {
      warnings.append(
        ConfigurationProblem(
          origin, section: section, option: option, reason: "\(String(name).quoted) is no event type and is ignored"))
    }
  }
}
