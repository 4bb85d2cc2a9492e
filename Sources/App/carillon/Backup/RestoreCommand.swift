import ArgumentParser
import Backup
import Engine
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import Logging
import SystemPackage

/// `carillon restore`: a data directory out of a backup.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a data directory of a backup.",
    discussion: """
      The directory must be empty or not there. Every file, the whole chain and every snapshot are checked before it says \
      that it is done; broken off, it leaves a directory that no server starts on. With --position or --time the journal \
      ends there, behind the last write that is complete by then: what came later is gone, for the people who had seen it \
      too. Stored files stay. The directory begins a new epoch; see to it that the former server runs no more.

      \(ExitStatus.backupHelp)
      """)

  @Argument(help: "The data directory that is made.") var directory: String
  @Option(help: "The backup: its directory, a file with its stream, or - for standard input.") var from: String
  @Option(help: "Up to and including this record number.") var position: UInt64?
  @Option(help: "Up to this time, such as 2026-02-11T08:30:05Z.") var time: String?

  func validate() throws {
    guard position == nil || time == nil else { throw ValidationError("Give --position or --time, not both.") }
    if let time, Timestamp(iso8601: time) == nil {
      throw ValidationError("--time is YYYY-MM-DDThh:mm:ss[.fff]Z, not “\(time)”.")
    }
  }

  private var bound: Restoration.Bound? {
    position.map { .position($0) } ?? time.flatMap { Timestamp(iso8601: $0) }.map { .time($0.milliseconds) }
  }

  func run() async throws {
    umask(0o077)
    try await Self.reporting {
      let restoration = try reportingBackup { try Restoration(into: FilePath(directory)) }
      do {
        try await carryOut(restoration)
      } catch {
        // It was empty: what was refused leaves nothing behind.
        clear()
        throw error
      }
    }
  }

  private func carryOut(_ restoration: Restoration) async throws {
    let (manifest, place, epoch) = try reportingBackup {
      let manifest = try fill(restoration)
      let place = try bound.map { bound in
        try bound.judge(manifest)
        return try restoration.cut(at: bound)
      }
      return (manifest, place, try restoration.finish())
    }
    if let place, place.position < place.endPosition, place.redactedCount > 0 { try await requireStart() }
    let end = place?.position ?? manifest.end.position
    Console.print("restored    \(manifest.files.count) files, \(manifest.byteCount) bytes; all checked")
    Console.print("up to       position \(end)")
    if end < manifest.end.position {
      Console.print("left out    positions \(end + 1) to \(manifest.end.position)")
    }
    Console.print("now         a primary's, of epoch \(epoch): start it with `carillon serve`")
  }

  private func fill(_ restoration: Restoration) throws -> BackupManifest {
    var isDirectory: ObjCBool = false
    if from != "-", FileManager.default.fileExists(atPath: from, isDirectory: &isDirectory), isDirectory.boolValue {
      let backup = try KeptBackup(FilePath(from))
      try bound?.judge(backup.manifest)
      try restoration.restore(backup)
      return backup.manifest
    }
    let descriptor: FileDescriptor
    do {
      descriptor = from == "-" ? .standardInput : try FileDescriptor.open(FilePath(from), .readOnly)
    } catch {
      throw StorageError((error as? Errno) ?? .ioError, .open, FilePath(from))
    }
    defer { if from != "-" { try? descriptor.close() } }
    return try restoration.restore(stream: { count in
      do {
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
          done = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
      } catch {
        throw StorageError((error as? Errno) ?? .ioError, .read, FilePath(from))
      }
    })
  }

  /// In the midst of an erasure, records may be gone and what restates their entity not there yet: only a start tells.
  private func requireStart() async throws {
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: FilePath(directory)), providers: { _ in nil },
      logger: Logger(label: "carillon"),
      onFatal: { reason in
        Console.remark("error: \(reason)")
        Foundation.exit(ExitStatus.journalFailed.rawValue)
      })
    let running = Task { await engine.run() }
    let failure: (any Error)?
    do {
      _ = try await engine.recover(for: .maintenance)
      failure = nil
    } catch {
      failure = error
    }
    await engine.stop(grace: .seconds(10))
    await running.value
    if let error = failure as? ReplayError {
      throw CommandFailure(.erased, "what a start needs there was erased later (\(error)): restore a later position")
    }
    if let failure { try reportingBackup { throw failure } }
  }

  /// Removes what is in the directory, which is not removed itself.
  private func clear() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
      try? FileManager.default.removeItem(atPath: directory + "/" + name)
    }
  }
}
