import Foundation
import Journal
import JournalFormat
import SystemPackage

@testable import Backup

/// A data directory with a journal in small segments, in a folder that goes with the rig.
final class BackupRig {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-backup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> FilePath { FilePath(folder.appendingPathComponent(name).path) }

  /// Writes records behind those that there are.
  func write(_ records: Int, to data: String = "data") throws {
    let writer = try open(data)
    for number in 0..<records {
      try writer.waitUntilDurable(
        try writer.append([
          PendingRecord(
            kind: 1, key: "key", sequence: UInt64(number), timeMilliseconds: 1_700_000_000_000, tag: 1,
            payload: Array("record \(number) of some length, so that segments fill up".utf8))
        ]))
    }
    try writer.close()
  }

  func open(_ data: String = "data") throws -> JournalWriter {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = 16 * 1024
    return try JournalWriter.open(
      directory: path(data).appending("journal"), configuration: configuration, onFatal: { _ in }, replay: { _ in }
    ).writer
  }

  func put(_ text: String, at name: String) throws {
    let url = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @discardableResult
  func backup(_ data: String = "data", to name: String = "backup") throws -> BackupMaker.Report {
    let folder = try BackupFolder(path(name))
    var maker = BackupMaker(path(data), archive: nil, into: folder, version: "test", now: { 1_700_000_000_000 })
    return try maker.run()
  }

  func stream(_ data: String = "data") throws -> [UInt8] {
    var bytes: [UInt8] = []
    let stream = try BackupStream { bytes += $0 }
    var maker = BackupMaker(path(data), archive: nil, into: stream, version: "test", now: { 1_700_000_000_000 })
    _ = try maker.run()
    return bytes
  }

  /// Every file below a directory, and its bytes.
  func contents(of name: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    let root = folder.appendingPathComponent(name).path
    for file in try FileManager.default.subpathsOfDirectory(atPath: root) {
      files[file] = try? Data(contentsOf: URL(fileURLWithPath: root + "/" + file))
    }
    return files
  }

  /// What a data directory and one that was restored from its backup have in common.
  func kept(of name: String) throws -> [String: Data] {
    try contents(of: name).filter { if case .kept = DataFile($0.key) { true } else { false } }
  }
}
