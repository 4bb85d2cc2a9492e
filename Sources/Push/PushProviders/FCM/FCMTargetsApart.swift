internal import PushDomain
internal import Synchronization

/// Targets that FCM could not hand on to Apple or a browser because the project's credential there is wrong
/// (`THIRD_PARTY_AUTH_ERROR`).
///
/// The answer stops the lane, but only for targets of that kind, and a token does not tell its kind: who got the answer
/// once is in a lane of its own from the next attempt on, and Android goes on. Spec: providers 3.3.
final class FCMTargetsApart: Sendable {
  static let targetsMaximum = 4_096

  private let targets = Mutex<Set<Int>>([])

  func contains(_ target: PushAddress) -> Bool { targets.withLock { $0.contains(target.hashValue) } }

  /// - Returns: `outcome` if this target has a lane of its own already, else a failure of this attempt alone.
  func judge(_ target: PushAddress, _ outcome: PushOutcome) -> PushOutcome {
    let isApart = targets.withLock { targets in
      if targets.contains(target.hashValue) { return true }
      if targets.count >= Self.targetsMaximum { targets.removeFirst() }
      targets.insert(target.hashValue)
      return false
    }
    guard !isApart, case .laneBroken(let reason) = outcome else { return outcome }
    return .retryable(reason: reason)
  }

  func remove(_ target: PushAddress) { targets.withLock { _ = $0.remove(target.hashValue) } }

  func removeAll() { targets.withLock { $0.removeAll() } }
}
