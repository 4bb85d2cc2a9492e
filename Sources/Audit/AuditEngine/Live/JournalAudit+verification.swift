import EngineKit
import EntityRuntime
import EventSourcing
package import Journal
import JournalFormat
import Logging
import OptionKit
import SystemPackage

extension JournalAudit {
  /// The verification that runs, or was the last since the server's start.
  package var verification: Verification? { verifications.current }

  /// Begins to verify the whole journal and its snapshots; it goes on whether or not anybody waits for it.
  /// - Parameter by: who asks.
  /// - Returns: nil while another one runs.
  /// - Throws: `JournalAuditError`, `JournalError`, or `EngineError.limitReached` when the server is busy.
  package func verify(by: String) async throws -> Verification? {
    _ = try head()
    let segments = try await partition.onThread { [reader = partition.reader] in try reader.segmentCount() }
    let begun = Verification(by: by, begunAt: partition.context.time.now, segments: segments)
    guard verifications.begin(begun) else { return nil }
    let started = partition.node.tasks.spawn { [self] in
      let outcome = await runVerification()
      verifications.update { verification in
        verification.endedAt = partition.context.time.now
        verification.outcome = outcome
      }
      if case .damaged(let reason) = outcome {
        partition.logger.error("the journal is damaged", metadata: ["reason": "\(reason)"])
      }
    }
    guard started else {
      verifications.update { $0.outcome = .stopped }
      throw EngineError.limitReached("tasks")
    }
    return begun
  }

  private func runVerification() async -> Verification.Outcome {
    do {
      try await partition.onThread { [self] in try verifyAll() }
      return .intact
    } catch is CancellationError {
      return .stopped
    } catch {
      return .damaged("\(error)")
    }
  }

  /// Blocks.
  private func verifyAll() throws {
    var search = JournalHeadSearch()
    var audit = try SnapshotAudit(directory: partition.journalDirectory, storage: partition.node.environment.storage)
    let snapshots = audit.snapshots.count
    let report = try partition.reader.verify(
      progress: { report in
        // A stopping server waits for it otherwise.
        guard partition.node.isReady else { throw CancellationError() }
        verifications.update { $0.report = report }
      },
      frame: { frame in
        search.add(frame)
        audit.add(frame)
      })
    try audit.finish()
    verifications.update { verification in
      verification.report = report
      verification.snapshots = snapshots
      verification.head = search.head
    }
  }

  /// The head that the last verification has found, signed: what `carillon journal checkpoint` writes.
  /// - Throws: `CheckpointObstacle`, `JournalAuditError.severalPartitions`.
  package func checkpoint() async throws -> Checkpoint {
    try requireOnlyPartition()
    guard let file = partition.node.options.current[JournalOptions.keys.checkpointKey] else {
      throw CheckpointObstacle.noKey
    }
    guard let verification, verification.outcome == .intact, let head = verification.head else {
      throw CheckpointObstacle.notVerified
    }
    let storage = partition.node.environment.storage
    let made = (verification.endedAt ?? verification.begunAt).iso8601Milliseconds
    return try await partition.onThread {
      do {
        let key = try AuditKey(pem: try Self.text(of: file, on: storage))
        return try Checkpoint(head, made: made, key: key)
      } catch {
        throw CheckpointObstacle.unusableKey("\(error)")
      }
    }
  }

  /// A short file of the operator's.
  static func text(of file: String, on storage: any JournalStorage) throws -> String {
    let open = try storage.open(FilePath(file), .read)
    defer { open.close() }
    var bytes = [UInt8](repeating: 0, count: keyBytesMaximum)
    let count = try bytes.withUnsafeMutableBytes { try open.read(into: $0, at: 0) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// More than any key has.
  private static let keyBytesMaximum = 4_096
}

/// Why there is no checkpoint to fetch.
package enum CheckpointObstacle: Error, Equatable, Sendable {
  /// The option `journal.checkpoint_key` names none.
  case noKey
  /// The file that it names is not there, or holds no such key.
  case unusableKey(String)
  /// No verification has come to a good end since the server's start.
  case notVerified
}
