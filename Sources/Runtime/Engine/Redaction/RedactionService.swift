import EntityRuntime
import EventSourcing
import Logging
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

extension Engine {
  /// Begins a redaction, which goes on whether or not anybody waits for it; see `redact`.
  /// - Returns: its id.
  /// - Throws: `RedactionError.invalid`, or `.limitReached` when the server is busy.
  public func beginRedaction(subject: String, by: String, reason: String) throws -> String {
    try Self.check(subject: subject, by: by, reason: reason)
    guard isReady else { throw EngineError.unavailable }
    let id = node.identifiers.browserID()
    redactionBoard.set(id, .running)
    let started = node.tasks.spawn { [self] in
      do {
        redactionBoard.set(id, .done(try await redact(subject: subject, by: by, reason: reason, id: id)))
        node.logger.notice("redacted", metadata: ["id": "\(id)", "by": "\(by)"])
      } catch let error as RedactionError {
        redactionBoard.set(id, .refused(error))
      } catch {
        redactionBoard.set(id, .failed(reason: "\(error)"))
        node.logger.error("a redaction stopped", metadata: ["id": "\(id)", "reason": "\(error)"])
      }
    }
    guard started else {
      redactionBoard.set(id, .failed(reason: "the server is busy"))
      throw EngineError.limitReached("tasks")
    }
    return id
  }

  /// What has become of a redaction; nil for an id that nobody knows.
  public func redaction(_ id: String) async -> RedactionState? {
    if let state = redactionBoard[id] { return state }
    return await redactionsDone().first { $0.id == id }.map { .done($0) }
  }

  /// Waits until it is not running any more, but at most `milliseconds`.
  public func redaction(_ id: String, waitingMilliseconds milliseconds: Int64) async -> RedactionState? {
    let deadline = partition.context.time.monotonicMilliseconds + milliseconds
    while await redaction(id) == .running, partition.context.time.monotonicMilliseconds < deadline {
      await partition.context.timers.sleep(milliseconds: partition.context.timers.tickMilliseconds)
    }
    return await redaction(id)
  }

  /// The latest redactions of this journal, oldest first.
  public func redactionsDone() async -> [RedactionLog.Redaction] {
    guard let log = redactions[RedactionLog.key] else { return [] }
    return (try? await log.read { $0.redactions }) ?? []
  }
}
