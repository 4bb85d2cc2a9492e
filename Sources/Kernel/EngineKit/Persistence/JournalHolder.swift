package import Journal
import Synchronization

/// Owns the open journal, and runs on threads of its own what blocks.
package final class JournalHolder: Sendable {
  private struct State {
    var writer: JournalWriter?
    var isStopped = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let isStepped: Bool
  private let begin: Beginning

  /// Has a thread of its own run something.
  typealias Beginning = @Sendable (_ body: @escaping @Sendable () -> Void) throws -> Void

  /// Of what is read here, some goes deep.
  private static let stackByteCount = 4 << 20

  /// - Parameter isStepped: see `EngineEnvironment.isStepped`.
  init(
    isStepped: Bool, begin: @escaping Beginning = { try DedicatedThread(stackByteCount: stackByteCount, $0).detach() }
  ) {
    self.isStepped = isStepped
    self.begin = begin
  }

  package var writer: JournalWriter? { state.withLock { $0.writer } }

  func hold(_ writer: JournalWriter) { state.withLock { $0.writer = writer } }

  /// Syncs and closes; harmless if it was never opened.
  /// - Throws: `JournalError` if the last sync failed: what was not acknowledged may be missing.
  func close() async throws {
    guard let writer else { return }
    try await onThread { Result { try writer.close() } }.get()
  }

  func stopped() {
    let waiter = state.withLock { state in
      state.isStopped = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  func untilStopped() async {
    await withCheckedContinuation { continuation in
      let isStopped = state.withLock { state in
        if !state.isStopped { state.waiter = continuation }
        return state.isStopped
      }
      if isStopped { continuation.resume() }
    }
  }

  /// Runs `body` on a thread of its own, since nothing may block the cooperative pool; here and now if stepped, or if the
  /// system has no thread left: late is better than never.
  package func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    if isStepped { return body() }
    return await withCheckedContinuation { continuation in
      do { try begin { continuation.resume(returning: body()) } } catch { continuation.resume(returning: body()) }
    }
  }
}
