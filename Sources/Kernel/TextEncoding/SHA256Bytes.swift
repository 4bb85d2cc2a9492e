import Crypto

/// SHA-256 of what is at hand as a whole.
///
/// swift-crypto's own `hash(data:)` walks over regions of data through generics that nobody specialises: for a hundred
/// bytes that costs as much as the hash.
public enum SHA256Bytes {
  /// - Returns: 32 bytes.
  public static func of(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
  }

  /// - Returns: 32 bytes.
  public static func of(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { of($0) } }

  private static func of(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = SHA256()
    hash.update(bufferPointer: bytes)
    return hash.finalize().withUnsafeBytes { [UInt8]($0) }
  }
}
