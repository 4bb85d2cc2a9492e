internal import JournalFormat

/// The name of a key; of a log's key also the log's origin. A URL without its scheme, such as
/// `carillon.example.com/main`. Spec: C2SP signed-note, format.
///
/// Two names are the same if their bytes are: others compute hashes of them.
public struct KeyName: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  /// - Returns: nil unless the name has 1 to 255 bytes and neither spaces, control characters nor `+`.
  public init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.count <= EvidenceLimits.keyNameByteCountMaximum,
      text.unicodeScalars.allSatisfy(Self.isAllowed)
    else { return nil }
    description = String(text)
  }

  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= EvidenceLimits.keyNameByteCountMaximum, let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    self.init(text)
  }

  public static func == (left: KeyName, right: KeyName) -> Bool {
    left.description.utf8.elementsEqual(right.description.utf8)
  }

  /// Names that differ in their bytes only may share a hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }

  /// What files about a key or a log are named by: a name may have slashes and dots, its hash has none.
  public var fileStem: String {
    let hash = Array(description.utf8).withUnsafeBytes {
      SHA256Batch.digest(head: UnsafeRawBufferPointer(start: nil, count: 0), body: $0)
    }
    return "\(hash)"
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "+" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
  }
}
