/// The body, as long as it was said to be, or in chunks. Spec: RFC 9112, 6 and 7.1.
extension HTTPRequestScanner {
  mutating func scanContent(_ bytes: UnsafeRawBufferPointer) -> Step? {
    let start = at
    let count = min(message.bytesLeft, bytes.count - at)
    message.bytesLeft -= count
    at += count
    if message.bytesLeft == 0 { place = message.placeBehindContent }
    return .content(start..<at)
  }

  /// Hexadecimal digits, at least one, and not more than can be counted.
  mutating func scanChunkSize(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, let digit = HTTPOctet.hexadecimal(bytes[at]) {
      if place == .chunkStart {
        message.bytesLeft = 0
        place = .chunkSize
      }
      guard message.bytesLeft <= Int.max >> 4 else { return fail(.malformed) }
      message.bytesLeft = message.bytesLeft << 4 | digit
      at += 1
    }
    guard at < bytes.count else { return .more }
    guard place == .chunkSize else { return fail(.malformed) }
    return goOn(bytes[at])
  }

  /// Behind the size, or behind an extension.
  private mutating func goOn(_ byte: UInt8) -> Step? {
    switch byte {
    case HTTPOctet.carriageReturn: place = .chunkFeed
    case UInt8(ascii: ";"): place = .extensionStart
    default: return fail(.malformed)
    }
    at += 1
    return nil
  }

  /// The last chunk is an empty one; fields may follow it.
  mutating func endChunkLine(_ bytes: UnsafeRawBufferPointer) -> Step? {
    if let flaw = take(HTTPOctet.lineFeed, bytes, to: .content) { return flaw }
    guard message.bytesLeft == 0 else { return nil }
    message.isBehindBody = true
    place = .lineStart
    return nil
  }

  /// Extensions are passed over; they are looked at all the same, so that nothing can hide in them.
  mutating func scanExtension(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count {
      let byte = bytes[at]
      switch place {
      case .extensionStart where HTTPOctet.isToken(byte): place = .extensionName
      case .extensionName where HTTPOctet.isToken(byte): break
      case .extensionName where byte == UInt8(ascii: "="): place = .extensionValueStart
      case .extensionValueStart where HTTPOctet.isToken(byte): place = .extensionValue
      case .extensionValueStart where byte == UInt8(ascii: "\""): place = .quoted
      case .extensionValue where HTTPOctet.isToken(byte): break
      case .quoted where byte == UInt8(ascii: "\\"): place = .quotedPair
      case .quoted where byte == UInt8(ascii: "\""): place = .quotedEnd
      case .quoted where HTTPOctet.isText(byte): break
      case .quotedPair where HTTPOctet.isText(byte): place = .quoted
      case .extensionName, .extensionValue, .quotedEnd: return goOn(byte)
      default: return fail(.malformed)
      }
      at += 1
    }
    return .more
  }
}
