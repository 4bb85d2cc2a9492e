public import StandbyWire

/// What has to be fetched as whole files before the stream is asked for.
public struct FollowerWork: Sendable, Equatable {
  /// Where it goes.
  public enum Target: Sendable, Equatable {
    /// To its place.
    case inPlace
    /// What is the journal's to a new copy beside the old one; a fresh one is begun with nothing.
    case newCopy(isFresh: Bool)
  }

  public let target: Target
  /// Of the primary.
  public let epoch: UInt32
  /// All that the bytes to come may name, in any order.
  public let files: [StandbyFile]
  /// Sealed segments that continue the copy, one after the other.
  public let segments: [StandbyManifest.Segment]

  public init(target: Target, epoch: UInt32, files: [StandbyFile], segments: [StandbyManifest.Segment]) {
    self.target = target
    self.epoch = epoch
    self.files = files
    self.segments = segments
  }
}
