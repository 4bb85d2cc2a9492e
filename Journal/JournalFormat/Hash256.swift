/// A SHA-256 value: a leaf or a link of the chain.
public struct Hash256: Sendable, Hashable {
  var a: UInt64
  var b: UInt64
  var c: UInt64
  var d: UInt64

  /// Stands before the first frame of a journal.
  public static let zero = Hash256(a: 0, b: 0, c: 0, d: 0)

  init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
  }

  /// - Parameter bytes: at least 32; the first 32 are taken as they are.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 32 else { return nil }
    self.init(
      a: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
      b: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
      c: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
      d: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
  }

  /// - Parameter text: as `description` writes it.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard digits.count == 64 else { return nil }
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16)
    }
    guard bytes.count == 32, let hash = bytes.withUnsafeBytes({ Hash256($0) }), hash.description == String(text) else {
      return nil
    }
    self = hash
  }

  /// Writes the 32 bytes.
  package func store(to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: a, as: UInt64.self)
    target.storeBytes(of: b, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: c, toByteOffset: 16, as: UInt64.self)
    target.storeBytes(of: d, toByteOffset: 24, as: UInt64.self)
  }
}

extension Hash256 {
  /// The 32 bytes.
  public var bytes: [UInt8] { withUnsafeBytes(of: (a, b, c, d)) { Array($0) } }
}

extension Hash256: CustomStringConvertible {
  /// 64 hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    withUnsafeBytes(of: (a, b, c, d)) { bytes in
      for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
