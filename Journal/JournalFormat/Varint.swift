/// Numbers of 7 bits a byte, lowest first.
package enum Varint {
  @inline(__always)
  static func byteCount(_ value: UInt64) -> Int {
    value < 0x80 ? 1 : (70 - (value | 1).leadingZeroBitCount) / 7
  }

  /// Writes `value` at `target` and returns the place behind it.
  @inline(__always)
  static func write(_ value: UInt64, to target: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    var rest = value
    var place = target
    while rest >= 0x80 {
      place.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
      place += 1
      rest >>= 7
    }
    place.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    return place + 1
  }

  /// Appends `value` to `bytes`.
  package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: byteCountMaximum, alignment: 1) { room in
      guard let start = room.baseAddress else { return }
      let end = write(value, to: start)
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: end - start))
    }
  }

  private static let byteCountMaximum = 10

  @inline(__always)
  package static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

  @inline(__always)
  package static func unzigzag(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a number at `offset`, before `end`, and moves `offset` behind it; nil if it does not end or is too large.
  @inline(__always)
  package static func read(_ base: UnsafeRawPointer, _ offset: inout Int, end: Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < end {
      let byte = base.load(fromByteOffset: offset, as: UInt8.self)
      offset += 1
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }
}
