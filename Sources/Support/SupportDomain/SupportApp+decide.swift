public import EventSourcing

extension SupportApp {
  public func decide(_ command: SupportAppCommand, now: Timestamp) -> [SupportAppEvent] {
    switch command {
    case .configured(let fresh):
      return fresh == integration ? [] : [.integrationChanged(fresh)]
    case .setWebhook(let base, let secret, let name, let former, let overlap):
      let previous =
        overlap > .zero ? former.map { Previous(url: $0, until: now.advanced(by: overlap)) } : nil
      return [.webhookSet(Webhook(base: base, secret: secret, at: now, by: name), previous: previous)]
    case .clearWebhook(let name):
      return webhook == nil ? [] : [.webhookCleared(by: name)]
    case .restate:
      return [.restated(state: stateBytes)]
    }
  }

  public mutating func evolve(_ event: SupportAppEvent, at time: Timestamp) {
    switch event {
    case .integrationChanged(let fresh):
      integration = fresh
    case .webhookSet(let fresh, let former):
      previous = former
      webhook = fresh
    case .webhookCleared:
      webhook = nil
      previous = nil
    case .restated(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let state = try? SupportApp(stateBytes: state) { self = state }
    }
  }

  public func react(to event: SupportAppEvent) -> [SupportAppEffect] { [.changed] }
}
