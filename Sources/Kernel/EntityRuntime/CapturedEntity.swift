/// The state of an entity at one moment, for a snapshot or for its sleep.
public struct CapturedEntity: Sendable {
  public enum Content: Sendable {
    case image(EntityImage)
    /// It has not changed since it was written there.
    case place(StatePlace)
    /// It has come to its end, though it may not have been let go of.
    case finished
  }

  public let content: Content
  /// The number of the last event that it contains.
  public let sequence: UInt64

  public init(content: Content, sequence: UInt64) {
    self.content = content
    self.sequence = sequence
  }
}
