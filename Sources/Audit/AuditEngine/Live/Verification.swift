package import EventSourcing
package import Journal
import Synchronization

/// A look at the whole journal of a running server: every checksum, every link of the chain, every snapshot.
package struct Verification: Sendable {
  package enum Outcome: Sendable, Equatable {
    case running
    case intact
    /// What is wrong, and where.
    case damaged(String)
    /// The server stopped it.
    case stopped
  }

  /// Who asked for it.
  package let by: String
  package let begunAt: Timestamp
  package internal(set) var endedAt: Timestamp?
  package internal(set) var outcome = Outcome.running
  /// Those that there were at the beginning.
  package let segments: Int
  /// What was seen so far.
  package internal(set) var report = VerifyReport()
  package internal(set) var snapshots = 0
  /// What a checkpoint can be made of; nil while it runs, or if nothing was known to be on the disk.
  package internal(set) var head: JournalHead?
}

/// The verification that runs, or was the last.
final class VerificationBoard: Sendable {
  private let latest = Mutex<Verification?>(nil)

  var current: Verification? { latest.withLock { $0 } }

  /// - Returns: false while another one runs.
  func begin(_ verification: Verification) -> Bool {
    latest.withLock { latest in
      if latest?.outcome == .running { return false }
      latest = verification
      return true
    }
  }

  func update(_ change: (inout Verification) -> Void) {
    latest.withLock { latest in
      if var verification = latest {
        change(&verification)
        latest = verification
      }
    }
  }
}
