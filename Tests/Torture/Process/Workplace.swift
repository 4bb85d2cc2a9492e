import Foundation
import Journal
import SystemPackage

/// A directory for one case, removed with it.
final class Workplace: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-torture-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var journal: FilePath { FilePath(path).appending("journal") }

  /// Checks the whole chain beside whoever writes: nil, or what is wrong.
  func verify() -> String? {
    do {
      _ = try JournalReader(directory: journal).verify()
      return nil
    } catch {
      return "verify: \(error)"
    }
  }
}
