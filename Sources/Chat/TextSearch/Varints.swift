// Numbers of as many bytes as they need, seven bits in each, the low ones first.
extension [UInt8] {
  mutating func append(varint number: UInt32) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// A difference, small numbers of either sign are short.
  mutating func append(zigzag number: Int64) {
    append(varint: UInt32(truncatingIfNeeded: (number << 1) ^ (number >> 63)))
  }

  /// The number at `place`, which moves behind it.
  func varint(at place: inout Int) -> UInt32 {
    var (number, shift) = (UInt32(0), UInt32(0))
    while true {
      let byte = self[place]
      place += 1
      number |= UInt32(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  func zigzag(at place: inout Int) -> Int64 {
    let number = Int64(varint(at: &place))
    return (number >> 1) ^ -(number & 1)
  }
}

extension Array {
  /// This in just the room that it needs.
  var tight: [Element] {
    guard capacity > count else { return self }
    return [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = buffer.initialize(fromContentsOf: self)
    }
  }

  /// What its storage takes, with the header.
  var storageBytes: Int { capacity * MemoryLayout<Element>.stride + 32 }
}
