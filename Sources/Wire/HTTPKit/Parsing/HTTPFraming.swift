/// What the fields of one request say of its end and of what may follow it. Spec: RFC 9112, 6 and 9.
struct HTTPFraming {
  var isVersion10 = false
  /// The request asks for a tunnel.
  var isConnect = false
  /// The fields in progress stand behind the body.
  var isBehindBody = false
  private var hasLength = false
  private var hasCoding = false
  private var isChunked = false
  private var wantsClose = false
  private var wantsKeepAlive = false
  private var wantsUpgrade = false
  private var namesProtocol = false
  /// Of the body, or of the chunk in progress.
  var bytesLeft = 0

  /// Nothing may follow it.
  var isLast: Bool { isVersion10 ? !wantsKeepAlive : wantsClose }
  /// What follows it is another protocol's.
  var changesProtocol: Bool { isConnect || wantsUpgrade && namesProtocol }

  /// Where it goes on behind the head.
  var placeBehindHead: HTTPRequestScanner.Place {
    if isConnect { return .requestEnd }
    if hasCoding { return isChunked ? .chunkStart : .unframed }
    return bytesLeft > 0 ? .content : .requestEnd
  }
  /// Where it goes on behind the last byte of content that was announced.
  var placeBehindContent: HTTPRequestScanner.Place { isChunked ? .chunkReturn : .requestEnd }

  /// False if the field makes the request's end doubtful.
  mutating func take(name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>) -> Bool {
    switch name.count {
    case 7 where HTTPOctet.isWord(name, "upgrade"):
      if !isBehindBody, !value.isEmpty { namesProtocol = true }
    case 10 where HTTPOctet.isWord(name, "connection"): takeConnection(value)
    case 14 where HTTPOctet.isWord(name, "content-length"): return takeLength(value)
    case 17 where HTTPOctet.isWord(name, "transfer-encoding"): return takeCodings(value)
    default: break
    }
    return true
  }

  private mutating func takeConnection(_ value: Slice<UnsafeRawBufferPointer>) {
    Self.eachElement(of: value) { element in
      switch element.count {
      case 5 where HTTPOctet.isWord(element, "close"): wantsClose = true
      case 7 where HTTPOctet.isWord(element, "upgrade"): wantsUpgrade = wantsUpgrade || !isBehindBody
      case 10 where HTTPOctet.isWord(element, "keep-alive"): wantsKeepAlive = true
      default: break
      }
    }
  }

  /// Digits, and not more than can be counted; once, even if a second one says the same.
  private mutating func takeLength(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard !isBehindBody, !hasLength, !hasCoding, !value.isEmpty else { return false }
    hasLength = true
    for byte in value {
      guard HTTPOctet.isDigit(byte) else { return false }
      let (tenfold, isTooLarge) = bytesLeft.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tenfold.addingReportingOverflow(Int(byte - 0x30))
      guard !isTooLarge, !isLarger else { return false }
      bytesLeft = sum
    }
    return true
  }

  /// `chunked` is the last coding, and the body has it once.
  private mutating func takeCodings(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard !isBehindBody, !hasLength, !isChunked else { return false }
    hasCoding = true
    var isInOrder = true
    Self.eachElement(of: value) { element in
      if isChunked { isInOrder = false }
      isChunked = HTTPOctet.isWord(element, "chunked")
    }
    return isInOrder
  }

  /// Empty elements too.
  private static func eachElement(
    of list: Slice<UnsafeRawBufferPointer>, _ body: (Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var start = list.startIndex
    while true {
      let end = list[start...].firstIndex(of: UInt8(ascii: ",")) ?? list.endIndex
      var element = list[start..<end]
      while let first = element.first, HTTPOctet.isBlank(first) { element.removeFirst() }
      while let last = element.last, HTTPOctet.isBlank(last) { element.removeLast() }
      body(element)
      guard end < list.endIndex else { return }
      start = end + 1
    }
  }
}
