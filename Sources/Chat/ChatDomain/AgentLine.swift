/// One line of what an agent sees: every transcript event, and what only agents may see.
public struct AgentLine: Sendable, Equatable {
  /// The customer-side position; nil for a line that only agents see.
  public let position: Int?
  public let content: TranscriptLine

  public init(position: Int?, content: TranscriptLine) {
    self.position = position
    self.content = content
  }

  public init(_ event: TranscriptEvent) { self.init(position: event.position, content: event.content) }
}
