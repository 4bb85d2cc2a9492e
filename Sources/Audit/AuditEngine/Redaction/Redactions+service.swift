import EngineKit
import EntityRuntime
import EventSourcing
import Logging

extension Redactions {
  /// Begins a redaction, which goes on whether or not anybody waits for it; see `redact`.
  /// - Returns: its id.
  /// - Throws: `RedactionError.invalid`, or `.limitReached` when the server is busy.
  public func begin(subject: String, by: String, reason: String) throws -> String {
    try Self.check(subject: subject, by: by, reason: reason)
    guard partition.node.isReady else { throw EngineError.unavailable }
    let id = partition.node.identifiers.browserID()
    board.set(id, .running)
    let started = partition.node.tasks.spawn { [self] in
      do {
        board.set(id, .done(try await redact(subject: subject, by: by, reason: reason, id: id)))
        partition.logger.notice("redacted", metadata: ["id": "\(id)", "by": "\(by)"])
      } catch let error as RedactionError {
        board.set(id, .refused(error))
      } catch {
        board.set(id, .failed(reason: "\(error)"))
        partition.logger.error("a redaction stopped", metadata: ["id": "\(id)", "reason": "\(error)"])
      }
    }
    guard started else {
      board.set(id, .failed(reason: "the server is busy"))
      throw EngineError.limitReached("tasks")
    }
    return id
  }

  /// What has become of a redaction; nil for an id that nobody knows.
  public func state(of id: String) async -> RedactionState? {
    if let state = board[id] { return state }
    return await done().first { $0.id == id }.map { .done($0) }
  }

  /// Waits until it is not running any more, but at most `milliseconds`.
  public func state(of id: String, waitingMilliseconds milliseconds: Int64) async -> RedactionState? {
    let deadline = partition.context.time.monotonicMilliseconds + milliseconds
    while await state(of: id) == .running, partition.context.time.monotonicMilliseconds < deadline {
      await partition.context.timers.sleep(milliseconds: partition.context.timers.tickMilliseconds)
    }
    return await state(of: id)
  }

  /// The latest redactions of this journal, oldest first.
  public func done() async -> [RedactionLog.Redaction] {
    guard let log = directory[RedactionLog.key] else { return [] }
    return (try? await log.read { $0.redactions }) ?? []
  }
}
