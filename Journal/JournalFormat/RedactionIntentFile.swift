/// The file that says that an erasure was begun: `redaction.intent` (`FORMAT.md`, "Redaction").
public enum RedactionIntentFile {
  static let magic: [UInt8] = Array("CARIRDCT".utf8)
  static let version: UInt32 = 1
  static let headerByteCount = 20
  /// Bytes that the engine may put into it.
  public static let contentByteCountMaximum = 1024 * 1024

  /// - Parameter content: at most `contentByteCountMaximum` bytes.
  public static func encode(_ content: [UInt8]) -> [UInt8] {
    precondition(content.count <= contentByteCountMaximum, "an intent is a name and a reason, not a document")
    var bytes = [UInt8](repeating: 0, count: headerByteCount) + content
    bytes.withUnsafeMutableBytes { bytes in
      bytes.copyBytes(from: magic)
      bytes.store(version, little: 8)
      bytes.store(UInt32(content.count), little: 12)
      bytes.store(checksum(UnsafeRawBufferPointer(bytes)), little: 16)
    }
    return bytes
  }

  /// - Returns: nil if these are not the bytes that were written.
  public static func decode(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= headerByteCount, bytes.starts(with: magic) else { return nil }
    let isWhole = bytes.withUnsafeBytes { bytes in
      bytes.little(8, as: UInt32.self) == version
        && Int(bytes.little(12, as: UInt32.self)) == bytes.count - headerByteCount
        && bytes.little(16, as: UInt32.self) == checksum(bytes)
    }
    return isWhole ? Array(bytes[headerByteCount...]) : nil
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    bytes.slice(headerByteCount..<bytes.count).checksum(seed: bytes.slice(0..<16).checksum(seed: 0))
  }
}
