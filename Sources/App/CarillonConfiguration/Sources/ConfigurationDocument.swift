import Yams

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One option as a source wrote it.
struct ConfigurationEntry: Equatable {
  let section: String
  let option: String
  /// A list's members are joined by commas.
  let value: String
  let origin: ConfigurationOrigin
}

/// The beginning of a section.
struct ConfigurationSection: Equatable {
  let name: String
  let origin: ConfigurationOrigin
}

/// A configuration file, taken apart but not yet judged: sections at the top, options below them.
///
/// ```yaml
/// server:
///   port: 8080
/// push.provider.event.chat.newagentmessage:
///   customhttp.url: https://push.example.test/in
/// ```
struct ConfigurationDocument: Equatable {
  private(set) var sections: [ConfigurationSection] = []
  private(set) var entries: [ConfigurationEntry] = []
  private(set) var problems: [ConfigurationProblem] = []

  init(yaml: String, path: String) {
    do {
      guard let root = try Yams.compose(yaml: yaml) else { return }
      read(root, path: path)
    } catch let error as YamlError {
      problems.append(Self.problem(error, path: path))
    } catch {
      problems.append(ConfigurationProblem(.file(path: path, line: nil), reason: "is not YAML"))
    }
  }

  private mutating func read(_ root: Node, path: String) {
    func origin(_ node: Node) -> ConfigurationOrigin { .file(path: path, line: node.mark?.line) }
    // An empty document and one of comments only are fine: all defaults.
    if root.isEmptyScalar { return }
    guard let top = root.mapping else {
      problems.append(ConfigurationProblem(origin(root), reason: "must hold sections, each with options below it"))
      return
    }
    for (key, body) in top {
      guard let section = key.scalar?.string else {
        problems.append(ConfigurationProblem(origin(key), reason: "the name of a section must be a text"))
        continue
      }
      guard sections.count < Limits.sectionsMaximum else {
        problems.append(ConfigurationProblem(origin(key), reason: "more than \(Limits.sectionsMaximum) sections"))
        return
      }
      sections.append(ConfigurationSection(name: section, origin: origin(key)))
      if body.isEmptyScalar { continue }
      guard let options = body.mapping else {
        problems.append(
          ConfigurationProblem(origin(key), section: section, reason: "must hold options, each as name: value"))
        continue
      }
      for (name, value) in options {
        guard let option = name.scalar?.string else {
          problems.append(
            ConfigurationProblem(origin(name), section: section, reason: "the name of an option must be a text"))
          continue
        }
        if let text = value.flatText {
          entries.append(ConfigurationEntry(section: section, option: option, value: text, origin: origin(name)))
        } else {
          let reason =
            value.mapping == nil
            ? "must be one value or a list of values"
            : "must be one value or a list; section names are written out in full, with their dots"
          problems.append(ConfigurationProblem(origin(name), section: section, option: option, reason: reason))
        }
      }
    }
  }

  private static func problem(_ error: YamlError, path: String) -> ConfigurationProblem {
    func made(_ reason: String, line: Int?) -> ConfigurationProblem {
      ConfigurationProblem(.file(path: path, line: line), reason: reason)
    }
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return made("is not YAML: \(problem)", line: mark.line)
    case .duplicatedKeysInMapping(let names, let context):
      return made("written twice: " + names.map(\.quoted).joined(separator: ", "), line: context.mark.line)
    case .reader(let problem, _, _, _): return made("cannot be read: \(problem)", line: nil)
    default: return made("is not YAML", line: nil)
    }
  }
}

extension Node {
  /// True for `key:` with nothing after it, and for an empty document.
  fileprivate var isEmptyScalar: Bool {
    guard let scalar else { return false }
    return scalar.style == .plain && (scalar.string.isEmpty || scalar.string == "~" || scalar.string == "null")
  }

  /// The text of a scalar, or of a list of scalars; nil for anything deeper.
  fileprivate var flatText: String? {
    if isEmptyScalar { return "" }
    if let scalar { return scalar.string }
    guard let members = sequence else { return nil }
    var texts: [String] = []
    for member in members {
      guard let text = member.scalar?.string else { return nil }
      texts.append(text)
    }
    return texts.joined(separator: ",")
  }
}
