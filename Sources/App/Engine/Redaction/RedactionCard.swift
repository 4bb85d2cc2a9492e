import EventSourcing

extension EntityCard {
  /// What was erased, without a word of whom.
  static let audit = EntityCard(
    .redactionLog, RedactionLog.self, narrator: { RedactionNarrator() })
}
