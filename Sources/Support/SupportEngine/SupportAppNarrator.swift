import EngineKit
import EventSourcing
import SupportDomain

/// Tells of apps with support requests. Of a webhook's URL nothing is shown that could be posted to.
struct SupportAppNarrator: Narrator {
  /// The base of each app's webhook: with the same one a URL is only rotated.
  private var bases: [String: String] = [:]

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: SupportAppEvent = Self.decode(tag, payload), let key = blank.entity?.key else { return nil }
    var entry = blank
    switch event {
    case .integrationChanged(let integration):
      (entry.who, entry.what) = ("operator", "has notifications go by \(integration.name) from now on")
    case .webhookSet(let webhook, let previous):
      let isRotated = bases.updateValue(webhook.base, forKey: key) == webhook.base && webhook.secret != nil
      entry.who = webhook.by
      entry.what =
        (isRotated ? "rotates the URL of the webhook, to " : "sets the URL of the webhook to ") + webhook.shown
      if let previous {
        let overlap = TimelineSpan(.silence, from: blank.time, to: previous.until)
        entry.remark = "; the one before is to be accepted for \(overlap.text)"
      }
    case .webhookCleared(let name):
      bases[key] = nil
      (entry.who, entry.what) = (name, "gives the URL of the webhook up: the configuration's holds")
    case .restated(let state):
      bases[key] = (try? SupportApp(stateBytes: state))?.webhook?.base
      (entry.who, entry.what) = ("app", "states itself anew")
      entry.isDetail = true
    }
    return [entry]
  }
}

extension SupportApp.Webhook {
  /// Scheme, host and the last four characters: the rest is a secret. Spec: support requests 5.2.
  fileprivate var shown: String { SupportAppView.masked(url) }
}
