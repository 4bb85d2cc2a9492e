import EngineKit
import EventSourcing

/// Tells who was signed in to the console. They are staff: no customer is named here.
struct ConsoleSessionNarrator: Narrator {
  private var nameByKey: [String: String] = [:]

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: ConsoleSessionEvent = Self.decode(tag, payload) else { return nil }
    let key = blank.entity?.key ?? ""
    var entry = blank
    entry.who = nameByKey[key] ?? "staff"
    switch event {
    case .opened(let terms), .openedByProvider(let terms):
      nameByKey[key] = terms.name
      entry.who = terms.name
      entry.what = "signs in to the console as \(terms.role)"
      entry.remark = Self.means(of: terms) + ", until \(terms.expiresAt.iso8601) at most"
    case .seen:
      entry.what = "works with the console"
      entry.isDetail = true
    case .ended(let end):
      nameByKey[key] = nil
      tell(end, &entry)
    }
    return [entry]
  }

  /// What signed somebody in, where it was not a token that they showed.
  private static func means(of terms: ConsoleSessionTerms) -> String {
    if let person = terms.person { return ", by \(person.issuer) as \(person.subject)" }
    return terms.code == nil ? "" : ", by a one-time link"
  }

  private func tell(_ end: ConsoleSessionEnd, _ entry: inout TimelineEntry) {
    switch end {
    case .signedOut: entry.what = "signs out of the console"
    case .revoked(let by):
      entry.what = "ends the console's session of \(entry.who)"
      entry.who = by
    case .idle: entry.what = "is signed out of the console, which was not used for long"
    case .expired: entry.what = "is signed out of the console, after the longest time that a session lasts"
    case .tokenRevoked: entry.what = "is signed out of the console: the token was revoked"
    case .displaced: entry.what = "is signed out of the console, for a newer session"
    case .providerRemoved:
      entry.what = "is signed out of the console: who vouched for it may sign nobody in any more"
    case .nameTaken: entry.what = "is signed out of the console: a token has the name"
    }
  }
}
