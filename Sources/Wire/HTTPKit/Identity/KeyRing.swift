package import EventSourcing
import Synchronization

/// The keys in force: those of the operator's files, and those that a URL gave last.
///
/// A URL that cannot be read takes nothing away at once: what it gave counts for `TokenPolicy.keySetLife` more. Keys of
/// files stay as they were when a file that is read again has become unusable.
package final class KeyRing: Sendable {
  private struct State {
    var own: [VerificationKey] = []
    var fetched: [VerificationKey] = []
    /// Until when the fetched ones count.
    var end = Timestamp(milliseconds: .min)
    var revocations = RevocationList()
    /// Grows with each change: what was verified before is to be verified again.
    var version = 0
  }

  private let state = Mutex(State())

  /// Those that count now, and a number that changes with them.
  package func keys(now: Timestamp) -> (keys: [VerificationKey], version: Int) {
    state.withLock { state in
      let isCurrent = now < state.end
      return (state.own + (isCurrent ? state.fetched : []), isCurrent ? state.version : -state.version)
    }
  }

  package func revokes(_ user: ProvenUser) -> Bool { state.withLock { $0.revocations.revokes(user) } }

  package func replace(own: [VerificationKey], _ revocations: RevocationList) {
    state.withLock { state in
      state.own = own
      state.revocations = revocations
      state.version += 1
    }
  }

  package func replace(fetched: [VerificationKey], until end: Timestamp) {
    state.withLock { state in
      state.fetched = fetched
      state.end = end
      state.version += 1
    }
  }
}
