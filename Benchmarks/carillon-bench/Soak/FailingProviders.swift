import Synchronization

/// Push providers as they are in bad times: in turns they answer 500, 429, 410 or nothing at all, and mostly well.
final class FailingProviders: Sendable {
  struct Counts: Sendable {
    var taken = 0
    var serverErrors = 0
    var tooMany = 0
    var gone = 0
    var silent = 0
  }

  private struct State {
    var counts = Counts()
    var requests = 0
    var isWell = false
    /// In which life of the server each push was taken, by a hash of its name.
    var takenIn: [Int: Int] = [:]
    var violations: [String] = []
  }

  private let life: @Sendable () -> Int
  private let state = Mutex(State())

  /// - Parameter life: of the server: a push that was taken may come once more after its end, and not before.
  init(life: @escaping @Sendable () -> Int) { self.life = life }

  var counts: Counts { state.withLock { $0.counts } }
  var violations: [String] { state.withLock { $0.violations } }

  /// From now on all is taken.
  func recover() { state.withLock { $0.isWell = true } }

  func answer(_ id: String) -> WebhookReceiver.Answer {
    let life = life()
    return state.withLock { state in
      state.requests += 1
      if !state.isWell {
        switch state.requests {
        // An answer that never comes holds the sender's hand for ten seconds: few of them.
        case let number where number % 509 == 100:
          state.counts.silent += 1
          return .silence
        case let number where number % 16 == 3:
          state.counts.serverErrors += 1
          return .status(500)
        case let number where number % 16 == 7:
          state.counts.tooMany += 1
          return .status(429, retryAfter: 1)
        case let number where number % 64 == 11:
          state.counts.gone += 1
          return .status(410)
        default: break
        }
      }
      state.counts.taken += 1
      if let before = state.takenIn.updateValue(life, forKey: id.hashValue), before == life {
        state.violations.append("push \(id) was taken twice in life \(life) of the server")
      }
      return .status(200)
    }
  }
}
