/// CRC-32C as the format asks for it, written a second time: a hostile file has right checksums, whoever computed them.
struct Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
  }

  /// Continued from `seed`, the checksum so far.
  static func crc32c(_ bytes: ArraySlice<UInt8>, seed: UInt32 = 0) -> UInt32 {
    ~bytes.reduce(~seed) { crc, byte in (crc >> 8) ^ table[Int((crc ^ UInt32(byte)) & 0xFF)] }
  }
}

extension [UInt8] {
  mutating func store<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
    for index in 0..<(Number.bitWidth / 8) { self[offset + index] = UInt8(truncatingIfNeeded: value >> (index * 8)) }
  }

  func load<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
    (0..<(Number.bitWidth / 8)).reduce(0) { $0 | Number(truncatingIfNeeded: self[offset + $1]) << ($1 * 8) }
  }
}
