/// The canonical form 8-4-4-4-12.
package enum UUIDText {
  private static let hex = Array("0123456789abcdef".utf8)

  /// - Parameter bytes: sixteen of them.
  package static func text(_ bytes: [UInt8]) -> String {
    var uuid: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { uuid.append(UInt8(ascii: "-")) }
      uuid.append(hex[Int(byte >> 4)])
      uuid.append(hex[Int(byte & 15)])
    }
    return String(decoding: uuid, as: UTF8.self)
  }
}
