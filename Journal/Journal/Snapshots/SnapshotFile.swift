public import SystemPackage

/// The name of a snapshot: what stands behind it is known once it is opened.
public struct SnapshotFile: Sendable, Hashable {
  public let path: FilePath
  /// The one in the name.
  public let position: UInt64

  static let suffix = ".snapshot"
  static let writingSuffix = ".writing"
  /// As many as the largest position has.
  static let digitCount = 20

  init(position: UInt64, in directory: FilePath) {
    let digits = String(position)
    let zeros = String(repeating: "0", count: Self.digitCount - digits.count)
    path = directory.appending(zeros + digits + Self.suffix)
    self.position = position
  }

  /// Nil if no snapshot has such a name.
  init?(name: String, in directory: FilePath) {
    let digits = name.dropLast(Self.suffix.count)
    guard name.hasSuffix(Self.suffix), digits.utf8.count == Self.digitCount,
      digits.utf8.allSatisfy({ (48...57).contains($0) }), let position = UInt64(digits)
    else { return nil }
    path = directory.appending(name)
    self.position = position
  }

  /// The name while it is written.
  var writing: FilePath { FilePath(path.string + Self.writingSuffix) }
}
