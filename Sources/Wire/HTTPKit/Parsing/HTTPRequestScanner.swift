/// Finds requests of HTTP/1.0 and 1.1 in the bytes of one connection: where their parts lie, and nothing of what they mean
/// but where each ends. Pure: bytes come in, and it does not matter how they are cut.
///
///     blank lines ─> method ─> target ─> version ─> fields ─> blank line ─┬─────────> content ────────────┬─> next request
///                                          ^                              ├─────────────────────────────>─┤   nothing more
///                                          └── trailers <── last chunk <──┴─> chunk size ─> chunk ─> …    └─> another protocol
///
/// It is as strict as the RFC lets a server be: lines end in CRLF, nothing is folded, one blank stands where one is
/// written down, and no two fields say where the body ends. Whoever it refuses is told so at the first byte that shows it.
///
/// Spec: RFC 9112.
package struct HTTPRequestScanner {
  /// What has been found. Ranges are offsets in the bytes that `step` was given.
  package enum Step: Equatable {
    /// No more in what there is.
    case more
    case requestLine(method: Range<Int>, target: Range<Int>, isVersion10: Bool)
    /// Of the head; blanks around the value are not in it. Fields behind a body are read, and left out.
    case field(name: Range<Int>, value: Range<Int>)
    /// The head is whole.
    case head
    /// A part of the body, at least one byte.
    case content(Range<Int>)
    /// The request is whole.
    case end
    case flaw(HTTPRequestFlaw)
  }

  enum Place: UInt8 {
    case betweenRequests
    case method, target, version, requestLineReturn, requestLineFeed
    case lineStart, fieldName, blanks, value, valueFeed, headFeed
    case content
    case chunkStart, chunkSize, chunkFeed, chunkReturn, chunkEndFeed
    case extensionStart, extensionName, extensionValueStart, extensionValue, quoted, quotedPair, quotedEnd
    /// The request has been read to its end; that is to be said.
    case requestEnd
    /// The body is there and nobody can say where it ends; that is to be said.
    case unframed
    /// Nothing may follow the last request.
    case behindLast
    /// What follows is another protocol's.
    case handedOver
    case failed
  }

  let headBytesMaximum: Int
  let fieldsMaximum: Int
  var place = Place.betweenRequests
  /// All before it has been looked at.
  var at = 0
  /// Where the line in progress begins.
  var lineStart = 0
  /// The end of its first word: a method or a field's name.
  var wordEnd = 0
  /// The start of what follows that word: a target or a field's value.
  var restStart = 0
  /// The end of a target.
  var restEnd = 0
  /// Of target, names and values so far.
  var headBytes = 0
  var fieldCount = 0
  var message = HTTPFraming()

  /// - Parameters:
  ///   - headBytesMaximum: of target, names and values of one request, those behind its body too.
  ///   - fieldsMaximum: of one request, those behind its body too.
  package init(headBytesMaximum: Int, fieldsMaximum: Int) {
    self.headBytesMaximum = headBytesMaximum
    self.fieldsMaximum = fieldsMaximum
  }

  /// What has been read is a request that would like to change the protocol: what follows is not looked at.
  package var isHandedOver: Bool { place == .handedOver }
  package var hasFailed: Bool { place == .failed }

  /// The next thing to be found in `bytes`, which begin where they began before, or behind what was `dropped`.
  package mutating func step(_ bytes: UnsafeRawBufferPointer) -> Step {
    while true {
      if let step = look(at: bytes) { return step }
    }
  }

  /// So many bytes from the start are not needed any more.
  package var finished: Int {
    switch place {
    case .method, .target, .version, .requestLineReturn, .requestLineFeed, .fieldName, .blanks, .value, .valueFeed:
      lineStart
    default: at
    }
  }

  /// So many bytes from the start are gone.
  package mutating func dropped(_ count: Int) {
    at -= count
    lineStart -= count
    wordEnd -= count
    restStart -= count
    restEnd -= count
  }

  /// Nil if there is more to look at.
  private mutating func look(at bytes: UnsafeRawBufferPointer) -> Step? {
    switch place {
    case .requestEnd: return end()
    case .unframed: return fail(.malformed)
    case .failed, .handedOver: return .more
    default: break
    }
    guard at < bytes.count else { return .more }
    switch place {
    case .betweenRequests, .behindLast: return skipBlankLines(bytes)
    case .method: return scanMethod(bytes)
    case .target: return scanTarget(bytes)
    case .version: return scanVersion(bytes)
    case .requestLineReturn: return take(HTTPOctet.carriageReturn, bytes, to: .requestLineFeed, else: .unknownVersion)
    case .requestLineFeed: return endRequestLine(bytes)
    case .lineStart: return startLine(bytes)
    case .fieldName: return scanName(bytes)
    case .blanks: return skipBlanks(bytes)
    case .value: return scanValue(bytes)
    case .valueFeed: return endField(bytes)
    case .headFeed: return endHead(bytes)
    case .content: return scanContent(bytes)
    case .chunkStart, .chunkSize: return scanChunkSize(bytes)
    case .chunkFeed: return endChunkLine(bytes)
    case .chunkReturn: return take(HTTPOctet.carriageReturn, bytes, to: .chunkEndFeed)
    case .chunkEndFeed: return take(HTTPOctet.lineFeed, bytes, to: .chunkStart)
    case .extensionStart, .extensionName, .extensionValueStart, .extensionValue, .quoted, .quotedPair, .quotedEnd:
      return scanExtension(bytes)
    case .requestEnd, .unframed, .handedOver, .failed: return .more
    }
  }

  mutating func fail(_ flaw: HTTPRequestFlaw) -> Step {
    place = .failed
    return .flaw(flaw)
  }

  /// Passes over the one byte that may stand here.
  mutating func take(
    _ byte: UInt8, _ bytes: UnsafeRawBufferPointer, to next: Place, else flaw: HTTPRequestFlaw = .malformed
  ) -> Step? {
    guard bytes[at] == byte else { return fail(flaw) }
    at += 1
    place = next
    return nil
  }

  /// Nil if the head is no longer than it may be with `count` bytes more.
  func excess(_ count: Int) -> HTTPRequestFlaw? { headBytes + count > headBytesMaximum ? .headTooLarge : nil }

  private mutating func end() -> Step {
    place = message.changesProtocol ? .handedOver : message.isLast ? .behindLast : .betweenRequests
    message = HTTPFraming()
    (headBytes, fieldCount) = (0, 0)
    return .end
  }
}
