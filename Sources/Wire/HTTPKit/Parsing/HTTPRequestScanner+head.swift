/// The request line and the fields.
extension HTTPRequestScanner {
  /// Empty lines before a request are no part of it; behind the last request they are all that may come.
  mutating func skipBlankLines(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, bytes[at] == HTTPOctet.carriageReturn || bytes[at] == HTTPOctet.lineFeed { at += 1 }
    guard at < bytes.count else { return .more }
    guard place == .betweenRequests else { return fail(.malformed) }
    lineStart = at
    place = .method
    return nil
  }

  mutating func scanMethod(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, bytes[at] != HTTPOctet.space {
      at += 1
      guard at - lineStart <= HTTPMethodName.bytesMaximum else { return fail(.malformed) }
    }
    let name = bytes[lineStart..<at]
    guard at < bytes.count else { return HTTPMethodName.begins(with: name) ? .more : fail(.malformed) }
    guard HTTPMethodName.isKnown(name) else { return fail(.malformed) }
    message.isConnect = HTTPOctet.isWord(name, "connect")
    wordEnd = at
    at += 1
    restStart = at
    place = .target
    return nil
  }

  /// One blank ends it. What ends the line instead leaves the version out: that is HTTP/0.9.
  mutating func scanTarget(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, HTTPOctet.isTarget(bytes[at]) { at += 1 }
    if let flaw = excess(at - restStart) { return fail(flaw) }
    guard at < bytes.count else { return .more }
    guard isTarget(bytes[restStart..<at]) else { return fail(.malformed) }
    switch bytes[at] {
    case HTTPOctet.space: break
    case HTTPOctet.carriageReturn: return fail(.unknownVersion)
    default: return fail(.malformed)
    }
    headBytes += at - restStart
    restEnd = at
    at += 1
    place = .version
    return nil
  }

  /// A path, an asterisk, scheme and server, or for a tunnel the server alone. Spec: RFC 9112, 3.2.
  private func isTarget(_ target: Slice<UnsafeRawBufferPointer>) -> Bool {
    if message.isConnect { return !target.isEmpty && isAuthority(target) }
    switch target.first {
    case UInt8(ascii: "/")?: return true
    case UInt8(ascii: "*")?: return target.count == 1
    default: break
    }
    let rest = target.drop(while: HTTPOctet.isLetter)
    guard rest.startIndex > target.startIndex, rest.starts(with: [0x3A, 0x2F, 0x2F]) else { return false }
    return isAuthority(rest.dropFirst(3))
  }

  private func isAuthority(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    text.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }.allSatisfy(HTTPOctet.isAuthority)
  }

  /// `HTTP/`, a digit, a point and a digit.
  mutating func scanVersion(_ bytes: UnsafeRawBufferPointer) -> Step? {
    let start = restEnd + 1
    let text: StaticString = "HTTP/d.d"
    while at < bytes.count, at < start + 8 {
      let expected = text.utf8Start[at - start]
      let isGood = expected == UInt8(ascii: "d") ? HTTPOctet.isDigit(bytes[at]) : bytes[at] == expected
      guard isGood else { return fail(at < start + 5 ? .malformed : .unknownVersion) }
      at += 1
    }
    guard at == start + 8 else { return .more }
    guard bytes[start + 5] == 0x31, bytes[start + 7] <= 0x31 else { return fail(.unknownVersion) }
    message.isVersion10 = bytes[start + 7] == 0x30
    place = .requestLineReturn
    return nil
  }

  mutating func endRequestLine(_ bytes: UnsafeRawBufferPointer) -> Step? {
    if let flaw = take(HTTPOctet.lineFeed, bytes, to: .lineStart) { return flaw }
    return .requestLine(
      method: lineStart..<wordEnd, target: restStart..<restEnd, isVersion10: message.isVersion10)
  }

  /// A field, or the blank line behind the last.
  mutating func startLine(_ bytes: UnsafeRawBufferPointer) -> Step? {
    if bytes[at] == HTTPOctet.carriageReturn {
      at += 1
      place = .headFeed
      return nil
    }
    guard HTTPOctet.isToken(bytes[at]) else { return fail(.malformed) }
    fieldCount += 1
    guard fieldCount <= fieldsMaximum else { return fail(.headTooLarge) }
    lineStart = at
    place = .fieldName
    return nil
  }

  mutating func scanName(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, HTTPOctet.isToken(bytes[at]) { at += 1 }
    if let flaw = excess(at - lineStart) { return fail(flaw) }
    guard at < bytes.count else { return .more }
    wordEnd = at
    headBytes += at - lineStart
    return take(UInt8(ascii: ":"), bytes, to: .blanks)
  }

  mutating func skipBlanks(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, HTTPOctet.isBlank(bytes[at]) { at += 1 }
    // They are kept with their line, so there is no end of them either.
    guard at - wordEnd <= headBytesMaximum else { return fail(.headTooLarge) }
    guard at < bytes.count else { return .more }
    restStart = at
    place = .value
    return nil
  }

  mutating func scanValue(_ bytes: UnsafeRawBufferPointer) -> Step? {
    while at < bytes.count, HTTPOctet.isText(bytes[at]) { at += 1 }
    if let flaw = excess(at - restStart) { return fail(flaw) }
    guard at < bytes.count else { return .more }
    headBytes += at - restStart
    restEnd = at
    return take(HTTPOctet.carriageReturn, bytes, to: .valueFeed)
  }

  mutating func endField(_ bytes: UnsafeRawBufferPointer) -> Step? {
    if let flaw = take(HTTPOctet.lineFeed, bytes, to: .lineStart) { return flaw }
    while restEnd > restStart, HTTPOctet.isBlank(bytes[restEnd - 1]) { restEnd -= 1 }
    guard message.take(name: bytes[lineStart..<wordEnd], value: bytes[restStart..<restEnd]) else {
      return fail(.malformed)
    }
    return message.isBehindBody ? nil : .field(name: lineStart..<wordEnd, value: restStart..<restEnd)
  }

  mutating func endHead(_ bytes: UnsafeRawBufferPointer) -> Step? {
    guard !message.isBehindBody else { return take(HTTPOctet.lineFeed, bytes, to: .requestEnd) }
    return take(HTTPOctet.lineFeed, bytes, to: message.placeBehindHead) ?? .head
  }
}
