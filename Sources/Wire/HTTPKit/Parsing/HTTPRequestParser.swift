package import NIOCore
package import NIOHTTP1

/// The requests in the bytes of one connection, in the parts that its machine takes. No input or output, no clock.
///
/// Reads out of the buffers that come from the socket: what a head says becomes its strings, a body's bytes stay where
/// they are. Only a line that comes in pieces is gathered, and whoever has been read to the end leaves nothing behind.
package struct HTTPRequestParser {
  private var scanner: HTTPRequestScanner
  /// From the first byte that is still needed.
  private var unread: ByteBuffer?
  /// Bytes before those.
  private var passed = 0
  // The head in progress.
  private var method = HTTPMethod.GET
  private var target = ""
  private var version = HTTPVersion.http1_1
  private var fields: [(String, String)] = []
  /// As many as the last head had: that is what the next one will have.
  private var fieldsExpected = 8

  package init(headBytesMaximum: Int, fieldsMaximum: Int) {
    scanner = HTTPRequestScanner(headBytesMaximum: headBytesMaximum, fieldsMaximum: fieldsMaximum)
  }

  init(_ limits: HTTPConnectionLimits) {
    self.init(headBytesMaximum: limits.headBytesMaximum, fieldsMaximum: limits.headerFieldsMaximum)
  }

  /// What has been looked at since the connection began: what is passed over in silence, such as extensions of chunks,
  /// counts too.
  package var bytesRead: Int { passed + scanner.at }

  /// More has come. What comes behind a flaw is dropped.
  package mutating func append(_ bytes: ByteBuffer) {
    guard !scanner.hasFailed, bytes.readableBytes > 0 else { return }
    if unread == nil {
      unread = bytes
    } else {
      unread?.writeImmutableBuffer(bytes)
    }
  }

  /// The next part of a request in what has come so far; nil until there is more, for ever behind a flaw.
  package mutating func next() throws(HTTPRequestFlaw) -> HTTPServerRequestPart? {
    let bytes = unread ?? ByteBuffer()
    let step = bytes.withUnsafeReadableBytes { scan($0) }
    var content: ByteBuffer?
    if case .content(let range) = step {
      content = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
    }
    forget(bytes.readableBytes)
    switch step {
    case .head: return .head(takeHead())
    case .content: return content.map { .body($0) }
    case .end: return .end(nil)
    case .flaw(let flaw):
      unread = nil
      throw flaw
    case .more, .requestLine, .field: return try checkRest()
    }
  }

  /// The bytes behind a request that changes the protocol; nil if there are none.
  package mutating func takeRest() -> ByteBuffer? {
    defer { unread = nil }
    return unread
  }

  private mutating func scan(_ bytes: UnsafeRawBufferPointer) -> HTTPRequestScanner.Step {
    while true {
      let step = scanner.step(bytes)
      switch step {
      case .requestLine(let name, let place, let isVersion10):
        method = HTTPText.method(bytes[name])
        target = HTTPText.string(bytes[place])
        version = isVersion10 ? .http1_0 : .http1_1
        fields.reserveCapacity(fieldsExpected)
      case .field(let name, let value): fields.append((HTTPText.string(bytes[name]), HTTPText.string(bytes[value])))
      case .more, .head, .content, .end, .flaw: return step
      }
    }
  }

  private mutating func takeHead() -> HTTPRequestHead {
    let head = HTTPRequestHead(version: version, method: method, uri: target, headers: HTTPHeaders(fields))
    fieldsExpected = fields.count
    (fields, target) = ([], "")
    return head
  }

  /// Lets go of what is not needed any more.
  private mutating func forget(_ available: Int) {
    let count = scanner.finished
    passed += count
    scanner.dropped(count)
    if count == available {
      unread = nil
    } else {
      unread?.moveReaderIndex(forwardBy: count)
    }
  }

  /// Whoever would change the protocol has to wait until that is done.
  private mutating func checkRest() throws(HTTPRequestFlaw) -> HTTPServerRequestPart? {
    guard scanner.isHandedOver, let unread, unread.readableBytes > scanner.headBytesMaximum else { return nil }
    _ = scanner.fail(.malformed)
    self.unread = nil
    throw .malformed
  }
}
