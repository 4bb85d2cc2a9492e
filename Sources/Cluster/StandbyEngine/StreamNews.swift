import Synchronization

/// What streams wait for: that there is something to send, whatever it is. Told by threads that must not wait.
final class StreamNews: Sendable {
  private struct State {
    var count: UInt64 = 0
    var nextID: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())

  /// How often there was news; to be asked before whatever the news may be about is looked at.
  var count: UInt64 { state.withLock { $0.count } }

  func tell() {
    let waiting = state.withLock { state in
      state.count += 1
      defer { state.waiting = [:] }
      return state.waiting
    }
    // Without the lock, which whoever is cancelled takes while the runtime holds that task's own.
    for continuation in waiting.values { continuation.resume() }
  }

  /// Waits until there is more news than `count`, or the task is cancelled.
  func wait(after count: UInt64) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.count > count || Task.isCancelled { return true }
          state.waiting[id] = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
    }
  }
}
