import ChatDomain

extension Schema {
  /// The event types that a filter may name.
  static let eventTypes: Set<String> = Set(TranscriptEventType.allCases.map(\.rawValue))
}
