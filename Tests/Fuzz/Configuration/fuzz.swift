import Fuzzing
import OptionKit

@testable import CarillonConfiguration

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// A configuration file: the same text gives the same result; what is refused says where and why in one line; what is
/// taken is in the schema, stays the same when it is written out again, and everything that reads it gets a value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  // Anything else is refused before it gets here.
  guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
  switch (load(text), load(text)) {
  case (.failure(let refused), .failure(let again)):
    require(refused.problems == again.problems, "the same problems each time")
    check(refused, lines: bytes.count { $0 == UInt8(ascii: "\n") } + bytes.count { $0 == UInt8(ascii: "\r") })
  case (.success(let configuration), .success(let again)):
    require(configuration.sections == again.sections, "the same values each time")
    check(configuration)
  default: fatalError("violated: the same text is taken or refused each time")
  }
  return 0
}

private func load(_ text: String) -> Result<LoadedConfiguration, ConfigurationRefused> {
  Result { () throws(ConfigurationRefused) in try ConfigurationLoader.load(yaml: text) }
}

private func check(_ refused: ConfigurationRefused, lines: Int) {
  require(!refused.problems.isEmpty, "who refuses says why")
  require(refused.problems.count <= 201, "problems are bounded")
  for problem in refused.problems + refused.warnings {
    let line = problem.description
    require(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a problem is one line: \(line)")
    require(!problem.reason.isEmpty, "a problem has a reason")
    require(problem.option == nil || line.contains("option "), "a problem names its option")
    if case .file(_, let number?) = problem.origin { require(number >= 1, "lines begin at 1") }
  }
}

private func check(_ configuration: LoadedConfiguration) {
  var yaml = ""
  for (section, options) in configuration.sections {
    guard let kind = SectionKind(section: section) else { fatalError("violated: a section that is taken has a kind") }
    yaml += "\(quoted(section)):\n"
    for (option, value) in options {
      guard let specification = Schema.option(option, in: kind) else {
        fatalError("violated: an option that is taken is in the schema")
      }
      require(configuration.origins[section]?[option] != nil, "a value has an origin")
      require((try? specification.type.normalized(value)) == value, "a value is in its one form: \(option) \(value)")
      yaml += "  \(quoted(option)): \(quoted(value))\n"
    }
  }
  _ = ServerSettings(configuration)
  _ = PushSettings(configuration)
  _ = configuration.sessionSettings
  _ = configuration.engineLimits
  _ = configuration.options
  guard case .success(let again) = load(yaml) else { fatalError("violated: what was taken is taken again: \(yaml)") }
  require(again.sections == configuration.sections, "what was taken means the same when it is written out")
}

/// A double-quoted YAML scalar.
private func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    let isPlain = (0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\"
    let digits = String(scalar.value, radix: 16)
    result += isPlain ? String(scalar) : "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
  }
  return result + "\""
}
