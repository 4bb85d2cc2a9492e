import Bayeux
import JSONEnvelope

extension CarillonChat {
  enum Origin {
    /// Came over Comet: nothing else will bring what is missing before it.
    case notification
    /// The reply to an operation: what is missing before it is on its way over Comet.
    case reply
  }

  /// Takes events from Comet.
  func received(_ messages: [CometMessage]) {
    for message in messages where message.channel == "/_genesys" {
      // A user may have several chats, all on the one channel.
      guard let value = message.data?["message"], let notification = try? ChatEventMessage(value),
        notification.chatSessionID == chatSessionID
      else { continue }
      accept(notification, origin: .notification)
    }
  }

  /// Hands on what is new in `message`. Events that came before are dropped; events after a gap wait for `refresh`.
  func accept(_ message: ChatEventMessage, origin: Origin) {
    guard phase != .ended else { return }
    let news = message.after(position)
    if let first = news.events.first {
      guard first.position == position + 1 else {
        if origin == .notification { recover(upTo: message.position) }
        return
      }
    } else if message.position > position {
      // It tells of events without bringing them along.
      if origin == .notification { recover(upTo: message.position) }
      return
    }
    guard !news.events.isEmpty || message.state == .disconnected else { return }
    // A reader that is too slow loses nothing: the position stays, and the next message finds the gap.
    if case .dropped = continuation.yield(news) { return }
    position = max(position, message.position)
    if message.state == .disconnected {
      phase = .ended
      continuation.finish()
    }
  }

  /// Asks for what is missing, until everything up to `target` is there.
  func recover(upTo target: Int) {
    announcedPosition = max(announcedPosition, target)
    recoveryCount += 1
    guard recovery == nil else { return }
    recovery = Task { [weak self] in
      for failures in 0..<Limits.recoveryAttemptsMaximum {
        guard let self else { return }
        let delay = self.configuration.backOff.delay(afterFailures: failures)
        guard (try? await Task.sleep(for: delay)) != nil else { break }
        guard await self.hasToRecover else { break }
        let asked = await self.recoveryCount
        guard (try? await self.refresh()) != nil else { continue }
        if await self.endRecovery(asked: asked) { return }
      }
      await self?.giveUpRecovery()
    }
  }

  /// In the background only what is known to be missing is asked for: the return brings the rest.
  private var hasToRecover: Bool { phase == .foreground || position < announcedPosition }

  /// - Returns: false if something is missing. Whoever asked meanwhile may have lost what came behind the answer.
  private func endRecovery(asked: Int) -> Bool {
    guard asked == recoveryCount, position >= announcedPosition else { return false }
    recovery = nil
    return true
  }

  private func giveUpRecovery() { recovery = nil }
}
