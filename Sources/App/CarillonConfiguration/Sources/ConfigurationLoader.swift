import SystemPackage

/// Reads all sources, judges every value and reports all problems at once.
public enum ConfigurationLoader {
  /// - Throws: `ConfigurationRefused` with every problem that was found.
  public static func load(_ sources: ConfigurationSources) throws(ConfigurationRefused) -> LoadedConfiguration {
    let (path, text, fileProblem) = readFile(sources)
    var problems: [ConfigurationProblem] = fileProblem.map { [$0] } ?? []
    let document = text.map { ConfigurationDocument(yaml: $0, path: path?.string ?? "") }
    problems += document?.problems ?? []
    return try load(sources, document: document, path: path?.string, problems: problems)
  }

  /// The same for a file that is already in memory.
  /// - Throws: `ConfigurationRefused` with every problem that was found.
  static func load(
    yaml: String, path: String = "carillon.yaml", _ sources: ConfigurationSources = ConfigurationSources()
  ) throws(ConfigurationRefused) -> LoadedConfiguration {
    let document = ConfigurationDocument(yaml: yaml, path: path)
    return try load(sources, document: document, path: path, problems: document.problems)
  }

  private static func load(
    _ sources: ConfigurationSources, document: ConfigurationDocument?, path: String?,
    problems: [ConfigurationProblem]
  ) throws(ConfigurationRefused) -> LoadedConfiguration {
    let layers = ConfigurationLayers(sources, document: document)
    var judge = ConfigurationJudge(problems: problems + layers.problems)
    layers.judgeStrangers(&judge)
    for (section, kind, option) in layers.settings(&judge) {
      guard let (value, origin) = layers.value(section: section, option: option) else { continue }
      judge.take(value, for: option, in: section, kind: kind, from: origin)
    }
    return try judge.verdict(file: path)
  }

  private static func readFile(
    _ sources: ConfigurationSources
  ) -> (path: FilePath?, text: String?, problem: ConfigurationProblem?) {
    let named = sources.file ?? sources.environment[EnvironmentSpelling.file].map { FilePath($0) }
    let path = named ?? ConfigurationSources.fileByDefault
    func problem(_ reason: String) -> ConfigurationProblem {
      ConfigurationProblem(.file(path: path.string, line: nil), reason: reason)
    }
    do throws(Errno) {
      return (path, try path.contents(bytesMaximum: Limits.fileBytesMaximum), nil)
    } catch {
      switch error {
      case .noSuchFileOrDirectory where named == nil: return (nil, nil, nil)
      default: return (path, nil, problem(FilePath.complaint(error)))
      }
    }
  }
}

extension FilePath {
  /// What is wrong with a file that `contents` does not give.
  static func complaint(_ error: Errno) -> String {
    switch error {
    case .fileTooLarge: "is larger than \(Limits.fileBytesMaximum) bytes"
    case .illegalByteSequence: "is not UTF-8"
    default: "cannot be read: \(error)"
    }
  }

  /// The whole file as text.
  /// - Throws: `.fileTooLarge` beyond the bound, `.illegalByteSequence` for anything but UTF-8, or what the system says.
  func contents(bytesMaximum: Int) throws(Errno) -> String {
    func read() throws -> [UInt8] {
      let descriptor = try FileDescriptor.open(self, .readOnly)
      return try descriptor.closeAfter {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = try chunk.withUnsafeMutableBytes { try descriptor.read(into: $0) }
          if count == 0 { return bytes }
          bytes.append(contentsOf: chunk[..<count])
          guard bytes.count <= bytesMaximum else { throw Errno.fileTooLarge }
        }
      }
    }
    let bytes: [UInt8]
    do { bytes = try read() } catch { throw error as? Errno ?? .ioError }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .illegalByteSequence }
    return text
  }
}
