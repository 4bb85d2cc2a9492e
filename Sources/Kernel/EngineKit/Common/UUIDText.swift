import TextEncoding

/// The canonical form 8-4-4-4-12.
package enum UUIDText {
  /// - Parameter bytes: sixteen of them.
  package static func text(_ bytes: [UInt8]) -> String {
    [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]].map { Hexadecimal.encode($0) }
      .joined(separator: "-")
  }
}
