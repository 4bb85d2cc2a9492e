/// One file of a primary's data directory, as it was when it was looked at.
public struct StandbyFile: Sendable, Hashable {
  public let place: StandbyPath
  public let byteCount: Int
  /// Another one as soon as the file is written to or replaced. Only its equality says anything.
  public let version: String

  public var path: String { place.text }

  /// - Parameter version: 1 to `StandbyLimits.versionByteCountMaximum` visible characters of ASCII.
  public init(_ place: StandbyPath, byteCount: Int, version: String) {
    precondition(Self.isVersion(version), "versions are short and visible")
    (self.place, self.byteCount, self.version) = (place, byteCount, version)
  }

  /// Nil if one of them is not within its bounds.
  init?(path: String, byteCount: UInt64, version: String) {
    guard let place = StandbyPath(path), byteCount <= UInt64(StandbyLimits.fileByteCountMaximum),
      Self.isVersion(version)
    else { return nil }
    self.init(place, byteCount: Int(byteCount), version: version)
  }

  /// Whether a request can name this version.
  public static func isVersion(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= StandbyLimits.versionByteCountMaximum
      && text.utf8.allSatisfy { (33...126).contains($0) }
  }
}
