import ChatDomain
import EngineKit
import EventSourcing

extension EntityCard {
  /// Texts of staff: no erasure is about them.
  static let cannedReplies = EntityCard(
    .cannedReplies, CannedReplyBook.self, narrator: { CannedReplyNarrator() }, lying: .atDesk,
    shownKey: .characters(32))
}

/// Tells who has kept which text to say it again.
struct CannedReplyNarrator: Narrator {
  /// By id.
  private var shortcuts: [String: String] = [:]

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: CannedReplyEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    switch event {
    case .replySaved(let id, let content, let name):
      let isNew = shortcuts.updateValue(content.shortcut, forKey: id) == nil
      entry.who = name
      entry.what = "\(isNew ? "saves" : "changes") the canned reply /\(content.shortcut)"
      if let language = content.language { entry.what += " (\(language))" }
      entry.text = content.text
    case .replyRemoved(let id, let name):
      entry.who = name
      entry.what = "removes the canned reply " + (shortcuts.removeValue(forKey: id).map { "/\($0)" } ?? id)
    }
    return [entry]
  }
}
