extension JSONWriter {
  mutating func escape(_ text: String) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { escape(UnsafeRawBufferPointer($0)) }
    guard isWritten == nil else { return }
    // A text of another system's own, which lies in memory some other way.
    var text = text
    text.withUTF8 { escape(UnsafeRawBufferPointer($0)) }
  }

  /// Copies runs that need no escape as a whole.
  mutating func escape(_ text: UnsafeRawBufferPointer) {
    var start = 0
    var index = 0
    while index < text.count {
      if index &+ 8 <= text.count {
        let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let stops = JSONWordScan.stops(in: word)
        if stops == 0 {
          index &+= 8
          continue
        }
        index &+= stops.trailingZeroBitCount / 8
      }
      let byte = text[index]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index += 1
        continue
      }
      buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
      appendEscape(of: byte)
      index += 1
      start = index
    }
    buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  private mutating func appendEscape(of byte: UInt8) {
    buffer.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.append(byte)
    case 0x08: buffer.append(UInt8(ascii: "b"))
    case 0x09: buffer.append(UInt8(ascii: "t"))
    case 0x0A: buffer.append(UInt8(ascii: "n"))
    case 0x0C: buffer.append(UInt8(ascii: "f"))
    case 0x0D: buffer.append(UInt8(ascii: "r"))
    default:
      buffer.append(contentsOf: "u00".utf8)
      for digit in [byte >> 4, byte & 0xF] {
        buffer.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
