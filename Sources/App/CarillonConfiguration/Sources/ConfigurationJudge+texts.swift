import Engine
import OptionKit
import SystemPackage

extension ConfigurationJudge {
  /// The built-in texts, with those of the operator's file in their place. Spec: GMS 8.3, `localizationFileLocation`.
  ///
  /// ```yaml
  /// de:
  ///   callback.start-chat.label: Jetzt chatten
  ///   callback.confirmation.later: Nein, in {minutes} Minuten
  /// ```
  mutating func texts() -> TextTable {
    var texts = TextTable()
    guard let (path, _) = value(of: NodeOptions.keys.textFile, in: .push) else { return texts }
    let yaml: String
    do throws(Errno) {
      yaml = try FilePath(path).contents(bytesMaximum: Limits.fileBytesMaximum)
    } catch {
      refuse(NodeOptions.keys.textFile, in: .push, "\(path.quoted) \(FilePath.complaint(error))")
      return texts
    }
    let document = ConfigurationDocument(yaml: yaml, path: path)
    for problem in document.problems { refuse(problem) }
    for entry in document.entries {
      do throws(TextRefusal) {
        try texts.replace(entry.option, language: entry.section, with: entry.value)
      } catch {
        refuse(
          ConfigurationProblem(
            entry.origin, section: entry.section, option: entry.option, reason: error.reason(key: entry.option)))
      }
    }
    return texts
  }
}

extension TextRefusal {
  fileprivate func reason(key: String) -> String {
    switch self {
    case .notALanguage: "the section's name is no language, such as de or pt-BR"
    case .unknownKey:
      "unknown text"
        + (Schema.nearest(to: key, among: TextKey.allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? "")
    case .empty: "is empty"
    case .tooLong(let limit): "is longer than \(limit) bytes"
    case .missingPlaceholder(let name): "must say {\(name)}"
    case .unknownPlaceholder(let name): "{\(name)} stands for nothing here"
    }
  }
}
