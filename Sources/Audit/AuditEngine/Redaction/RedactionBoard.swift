import Synchronization

/// What has become of a redaction that an operator asked for.
public enum RedactionState: Sendable, Equatable {
  case running
  case done(RedactionLog.Redaction)
  /// Nothing was changed.
  case refused(RedactionError)
  /// Something stopped it; what was planned is carried to its end by the next start.
  case failed(reason: String)
}

/// The states of the redactions that this process was asked for, for those who ask again.
final class RedactionBoard: Sendable {
  private struct Entries {
    var states: [String: RedactionState] = [:]
    var order: [String] = []
  }

  private let maximum: Int
  private let entries = Mutex(Entries())

  init(maximum: Int) { self.maximum = maximum }

  subscript(id: String) -> RedactionState? { entries.withLock { $0.states[id] } }

  func set(_ id: String, _ state: RedactionState) {
    entries.withLock { entries in
      if entries.states.updateValue(state, forKey: id) == nil { entries.order.append(id) }
      if entries.order.count > maximum { entries.states[entries.order.removeFirst()] = nil }
    }
  }
}
