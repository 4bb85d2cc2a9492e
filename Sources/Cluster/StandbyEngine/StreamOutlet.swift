import StandbyWire
import Synchronization

/// What one stream is to say beside its bytes, and how far it has come.
final class StreamOutlet: Sendable {
  private struct State {
    var messages: [StandbyMessage] = []
    var isClosed = false
    var sent: (place: StandbyPlace, position: UInt64)?
  }

  private let state = Mutex(State())
  private let news: StreamNews

  /// Messages that may wait; more of them become one that says that the manifest has changed.
  static let countMaximum = 256

  init(news: StreamNews) { self.news = news }

  func put(_ message: StandbyMessage) {
    state.withLock { state in
      if state.messages == [.changed] || (message == .changed && state.messages.contains(.changed)) { return }
      state.messages = state.messages.count < Self.countMaximum ? state.messages + [message] : [.changed]
    }
    news.tell()
  }

  /// What waits, in its order; nil if the stream is to end.
  func take() -> [StandbyMessage]? {
    state.withLock { state in
      defer { state.messages = [] }
      return state.isClosed ? nil : state.messages
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    news.tell()
  }

  /// All up to there has been sent.
  func sent(_ place: StandbyPlace, _ position: UInt64) { state.withLock { $0.sent = (place, position) } }

  func covers(_ acknowledgement: StandbyAcknowledgement) -> Bool {
    state.withLock { state in
      state.sent.map { $0.place >= acknowledgement.place && $0.position >= acknowledgement.position } ?? false
    }
  }
}
