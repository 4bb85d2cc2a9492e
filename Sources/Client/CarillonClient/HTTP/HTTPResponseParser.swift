public import NIOCore

/// Takes HTTP/1.1 responses out of a stream of bytes, without copying a body that comes in one piece.
///
/// ```
///   head ──> fixed length ──────> end
///     ├────> chunks ────────────> end
///     └────> until close ───────> end (the connection's)
/// ```
/// Interim responses (1xx but 101) are skipped.
public struct HTTPResponseParser {
  public enum Part {
    /// Status and header fields; the body follows.
    case head(HTTPResponse)
    case body(ByteBuffer)
    case end
  }

  private enum State {
    case head
    case fixed(remaining: Int)
    case chunkSize
    case chunk(remaining: Int)
    case chunkEnd
    case trailer
    case untilClose
    case end
  }

  private var state = State.head
  /// If set, a body of known length is handed out only when it is there as a whole.
  private let wholeBodies: Bool

  public init(wholeBodies: Bool) { self.wholeBodies = wholeBodies }

  /// The next part in `buffer`, which loses its bytes; nil if more bytes are needed.
  /// - Throws: `ClientError.malformedResponse`; the connection cannot be used any more.
  public mutating func next(_ buffer: inout ByteBuffer) throws(ClientError) -> Part? {
    while true {
      switch state {
      case .head:
        guard let response = try parseHead(&buffer) else { return nil }
        if response.status < 200, response.status != 101 {
          state = .head
          continue
        }
        return .head(response)
      case .fixed(let remaining):
        guard remaining > 0 else {
          state = .head
          return .end
        }
        let length = min(remaining, buffer.readableBytes)
        guard length == remaining || (length > 0 && !wholeBodies), let slice = buffer.readSlice(length: length) else {
          return nil
        }
        state = .fixed(remaining: remaining - length)
        return .body(slice)
      case .chunkSize:
        guard let size = try parseChunkSize(&buffer) else { return nil }
        state = size == 0 ? .trailer : .chunk(remaining: size)
      case .chunk(let remaining):
        let length = min(remaining, buffer.readableBytes)
        guard length > 0, let slice = buffer.readSlice(length: length) else { return nil }
        state = length == remaining ? .chunkEnd : .chunk(remaining: remaining - length)
        return .body(slice)
      case .chunkEnd:
        guard let end = buffer.readInteger(as: UInt16.self) else { return nil }
        guard end == 0x0D0A else { throw .malformedResponse("no line end after a chunk") }
        state = .chunkSize
      case .trailer:
        guard let line = try readLine(&buffer) else { return nil }
        if line == 0 { state = .end }
      case .untilClose:
        guard let slice = buffer.readSlice(length: buffer.readableBytes), slice.readableBytes > 0 else { return nil }
        return .body(slice)
      case .end:
        state = .head
        return .end
      }
    }
  }

  /// The stream has ended. True if that completes a response.
  public mutating func finish() -> Bool {
    guard case .untilClose = state else { return false }
    state = .head
    return true
  }

  private mutating func parseHead(_ buffer: inout ByteBuffer) throws(ClientError) -> HTTPResponse? {
    guard let length = headLength(buffer) else {
      guard buffer.readableBytes <= Limits.responseHeadBytesMaximum else {
        throw .malformedResponse("response head of more than \(Limits.responseHeadBytesMaximum) bytes")
      }
      return nil
    }
    guard var head = buffer.readSlice(length: length) else { return nil }
    let facts = head.withUnsafeReadableBytes(Self.facts(ofHead:))
    guard let facts else { throw .malformedResponse("not an HTTP/1 response") }
    head.moveReaderIndex(forwardBy: facts.statusLineLength)
    if facts.status < 200 || facts.status == 204 || facts.status == 304 {
      state = .fixed(remaining: 0)
    } else if facts.isChunked {
      state = .chunkSize
    } else if let length = facts.contentLength {
      guard length <= Limits.responseBodyBytesMaximum else { throw .malformedResponse("body of \(length) bytes") }
      state = .fixed(remaining: length)
    } else {
      state = .untilClose
    }
    if case .untilClose = state {
      return HTTPResponse(status: facts.status, head: head, body: ByteBuffer(), keepsAlive: false)
    }
    return HTTPResponse(status: facts.status, head: head, body: ByteBuffer(), keepsAlive: facts.keepsAlive)
  }

  /// The length of the head with its empty line, if it is complete.
  private func headLength(_ buffer: ByteBuffer) -> Int? {
    buffer.withUnsafeReadableBytes { bytes in
      var index = 3
      while index < bytes.count {
        // Steps over three bytes at a time: one of any four in a row tells whether the empty line is near.
        switch bytes[index] {
        case UInt8(ascii: "\n"):
          if bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { return index + 1 }
          index += 2
        case UInt8(ascii: "\r"): index += 1
        default: index += 4
        }
      }
      return nil
    }
  }

  private struct HeadFacts {
    var status = 0
    var statusLineLength = 0
    var contentLength: Int?
    var isChunked = false
    var keepsAlive = true
  }

  private static let contentLength = Array("content-length".utf8)
  private static let transferEncoding = Array("transfer-encoding".utf8)
  private static let connection = Array("connection".utf8)

  private static func facts(ofHead bytes: UnsafeRawBufferPointer) -> HeadFacts? {
    // "HTTP/1.x nnn"
    guard bytes.count >= 16, bytes[0] == UInt8(ascii: "H"), bytes[5] == UInt8(ascii: "1"), bytes[8] == 32 else {
      return nil
    }
    var facts = HeadFacts()
    facts.keepsAlive = bytes[7] != UInt8(ascii: "0")
    for index in 9..<12 {
      guard bytes[index] >= 48, bytes[index] <= 57 else { return nil }
      facts.status = facts.status * 10 + Int(bytes[index] - 48)
    }
    guard facts.status >= 100 else { return nil }
    var start = 12
    while start < bytes.count, bytes[start] != 10 { start += 1 }
    start += 1
    facts.statusLineLength = start
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 13 { end += 1 }
      let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      start = end + 2
      guard let first = line.first else { break }
      // Only names that begin with C or T matter here.
      guard first | 0x20 == UInt8(ascii: "c") || first | 0x20 == UInt8(ascii: "t") else { continue }
      if let value = HeaderField.value(named: contentLength, in: line) {
        var length = 0
        guard !value.isEmpty, value.count <= 15 else { return nil }
        for byte in value {
          guard byte >= 48, byte <= 57 else { return nil }
          length = length * 10 + Int(byte - 48)
        }
        facts.contentLength = length
      } else if let value = HeaderField.value(named: transferEncoding, in: line) {
        facts.isChunked = HeaderField.contains("chunked", in: value)
      } else if let value = HeaderField.value(named: connection, in: line) {
        if HeaderField.contains("close", in: value) { facts.keepsAlive = false }
        if HeaderField.contains("keep-alive", in: value) { facts.keepsAlive = true }
      }
    }
    return facts
  }

  private func parseChunkSize(_ buffer: inout ByteBuffer) throws(ClientError) -> Int? {
    let line = buffer.readableBytesView
    guard let length = try readLine(&buffer) else { return nil }
    var size = 0
    var digits = 0
    for byte in line.prefix(length) {
      let digit: UInt8
      switch HeaderField.lowercased(byte) {
      case let byte where byte >= 48 && byte <= 57: digit = byte - 48
      case let byte where byte >= 97 && byte <= 102: digit = byte - 87
      default: digit = 255
      }
      if digit == 255 { break }
      size = size << 4 | Int(digit)
      digits += 1
      guard size <= Limits.responseBodyBytesMaximum else { throw .malformedResponse("chunk of \(size) bytes") }
    }
    guard digits > 0 else { throw .malformedResponse("no chunk size") }
    return size
  }

  /// Reads one line; returns its length without the line end.
  private func readLine(_ buffer: inout ByteBuffer) throws(ClientError) -> Int? {
    guard let end = buffer.readableBytesView.firstIndex(of: 10) else {
      guard buffer.readableBytes <= Limits.responseHeadBytesMaximum else {
        throw .malformedResponse("endless line between chunks")
      }
      return nil
    }
    let length = end - buffer.readerIndex
    let hasReturn = length > 0 && buffer.getInteger(at: end - 1, as: UInt8.self) == 13
    buffer.moveReaderIndex(to: end + 1)
    return hasReturn ? length - 1 : length
  }
}
