import Foundation
import Journal
import JournalFormat
import ProcessControl
import Synchronization
import SystemPackage

/// Journals on the disk, in a folder of their own, and the `carillon journal` commands run on them.
final class JournalTool {
  let folder: URL

  static let segmentByteCount = 16 * 1024
  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("carillon")

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func segment(_ number: Int, of journal: String = "journal") -> URL {
    folder.appendingPathComponent(journal).appendingPathComponent("00000000000\(number).segment")
  }

  /// Writes `records` records to a journal, after those that it has.
  ///
  /// - Parameter ids: journals with the same number have the same segment ids.
  func write(_ records: Int, text: String = "hello", to journal: String = "journal", ids: UInt64 = 1) throws {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = Self.segmentByteCount
    let state = Mutex(ids)
    configuration.randomBytes = { bytes in
      state.withLock { state in
        for index in bytes.indices {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
      }
    }
    let (writer, _) = try JournalWriter.open(
      directory: FilePath(path(journal)), configuration: configuration, onFatal: { _ in }, replay: { _ in })
    for index in 0..<records {
      let position = try writer.append(
        kind: 200, key: "key", sequence: UInt64(index), timeMilliseconds: 1_770_000_000_000 + Int64(index), tag: 1,
        payload: Array("\(text) \(index) ".utf8) + (0..<100).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0 &* $0) },
        lazy: true)
      try writer.waitUntilDurable(position)
    }
    try writer.close()
  }

  func change(_ file: URL, _ change: (inout Data) -> Void) throws {
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    try bytes.write(to: file)
  }

  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs `carillon journal` with these arguments; `$` stands for the folder and a slash.
  func run(_ arguments: [String]) throws -> Outcome { try Self.run(Self.executable, ["journal"] + expand(arguments)) }
  func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

  func expand(_ arguments: [String]) -> [String] {
    arguments.map { $0.replacingOccurrences(of: "$", with: folder.path + "/") }
  }

  static func run(_ executable: URL, _ arguments: [String]) throws -> Outcome {
    let outcome = try ChildProcess.run(executable.path, arguments)
    return Outcome(
      status: outcome.status, output: String(decoding: outcome.output, as: UTF8.self),
      errors: String(decoding: outcome.errors, as: UTF8.self))
  }

  /// Every file of the journal and its bytes: nothing is changed without being asked.
  func contents(of journal: String = "journal") throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path(journal)) {
      files[name] = try? Data(contentsOf: URL(fileURLWithPath: path(journal) + "/" + name))
    }
    return files
  }
}
