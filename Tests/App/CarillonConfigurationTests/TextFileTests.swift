import Engine
import Foundation
import Testing

@testable import CarillonConfiguration

@Suite("File of texts")
struct TextFileTests {
  /// Loads a configuration that names a file with this content; `F` in what is thrown stands for the file's path.
  private func load(_ content: String) throws -> LoadedConfiguration {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("texts-\(UUID().uuidString).yaml")
    try Data(content.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    do throws(ConfigurationRefused) {
      return try ConfigurationLoader.load(yaml: "push: { localizationFileLocation: \(file.path) }")
    } catch {
      throw Complaints(texts: error.problems.map { $0.description.replacing(file.path, with: "F") })
    }
  }

  private struct Complaints: Error, Equatable {
    let texts: [String]
  }

  @Test("its texts go over the built-in ones, and reach the engine")
  func merged() throws {
    let texts = try load(
      """
      de:
        callback.start-chat.label: Jetzt chatten
      no:
        callback.ok: Greit
      """
    ).options.texts
    #expect(texts.text(.startChat, language: "de-DE") == "Jetzt chatten")
    #expect(texts.text(.connectOutbound, language: "de") == "Sie werden in Kürze angerufen")
    #expect(texts.text(.ok, language: "no") == "Greit")
  }

  @Test("without a file the built-in texts hold")
  func none() throws {
    #expect(try ConfigurationLoader.load(yaml: "").options.texts == TextTable())
  }

  @Test(
    "each wrong line is named",
    arguments: [
      ("de:\n  callback.okk: x", "F:2: section de, option callback.okk: unknown text; did you mean callback.ok?"),
      ("de:\n  callback.ok: ''", "F:2: section de, option callback.ok: is empty"),
      (
        "fr:\n\n  callback.confirmation.later: Plus tard",
        "F:3: section fr, option callback.confirmation.later: must say {minutes}"
      ),
      ("fr:\n  callback.ok: '{n}'", "F:2: section fr, option callback.ok: {n} stands for nothing here"),
      (
        "Deutsch!:\n  callback.ok: x",
        "F:2: section Deutsch!, option callback.ok: the section's name is no language, such as de or pt-BR"
      ),
      ("de: x", "F:1: section de: must hold options, each as name: value"),
    ])
  func refused(content: String, complaint: String) throws {
    #expect(throws: Complaints(texts: [complaint])) { try load(content) }
  }

  @Test("a file that is not there refuses the configuration")
  func missing() throws {
    #expect {
      try ConfigurationLoader.load(yaml: "push:\n  localizationFileLocation: /nowhere/texts.yaml", path: "c.yaml")
    } throws: { error in
      "\(error)"
        == "c.yaml:2: section push, option localizationFileLocation: “/nowhere/texts.yaml” cannot be read: No such file or directory"
    }
  }
}
