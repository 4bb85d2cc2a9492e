import NIOCore
import Synchronization

/// Where a port listens, for those who wait until it does.
final class BoundAddress: Sendable {
  private enum State {
    case pending([CheckedContinuation<SocketAddress, any Error>])
    case settled(Result<SocketAddress, any Error>)
  }

  private let state = Mutex<State>(.pending([]))

  /// - Throws: what kept the port from listening.
  var value: SocketAddress {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<SocketAddress, any Error>? in
          switch state {
          case .settled(let result): return result
          case .pending(let waiting):
            state = .pending(waiting + [continuation])
            return nil
          }
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }

  /// Answers all who wait; whatever comes later than the first is not heard.
  func settle(_ result: Result<SocketAddress, any Error>) {
    let waiting = state.withLock { state -> [CheckedContinuation<SocketAddress, any Error>] in
      guard case .pending(let waiting) = state else { return [] }
      state = .settled(result)
      return waiting
    }
    for continuation in waiting { continuation.resume(with: result) }
  }
}
