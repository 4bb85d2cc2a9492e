import NIOCore
import NIOHTTP1

/// A request whose body is being read.
struct RequestInProgress {
  let head: HTTPRequestHead
  let limit: Int
  /// Decided by the head alone; the body is then read only to keep the connection.
  let refusal: EdgeFailure?
  /// The loop's time at the head, in ticks.
  let startedAt: Int64
  /// What the parser had taken of the connection at the head.
  private let bytesReadBefore: Int
  private(set) var received = 0
  /// What chunks of the sizes that came need beside their content, at least.
  private var framingBytes = 0
  private(set) var body: ByteBuffer?

  init(head: HTTPRequestHead, limit: Int, refusal: EdgeFailure?, startedAt: Int64, bytesReadBefore: Int) {
    self.head = head
    self.limit = limit
    self.refusal = refusal
    self.startedAt = startedAt
    self.bytesReadBefore = bytesReadBefore
  }

  /// False if the body is now larger than its limit.
  mutating func append(_ part: ByteBuffer) -> Bool {
    received += part.readableBytes
    framingBytes += String(part.readableBytes, radix: 16).utf8.count + 4
    guard received <= limit else { return false }
    guard refusal == nil else { return true }
    if body == nil {
      body = part
    } else {
      body?.writeImmutableBuffer(part)
    }
    return true
  }

  /// Whether the body's chunks bring more beside their content than a head may be long: extensions, zeros before their
  /// sizes, trailers. Spec: RFC 9112, 7.1.1.
  ///
  /// - Parameter bytesRead: what the parser has taken of the connection by now. The head may be counted in, and what
  ///   came with it in one read.
  func hasExcess(_ limits: EdgeLimits, bytesRead: Int) -> Bool {
    bytesRead - bytesReadBefore - received - framingBytes > limits.headBytesMaximum + EdgeLimits.readBufferBytes.maximum
  }

  /// Ticks until a body of this size so far is too slow; at most zero if it is.
  func patience(_ limits: EdgeLimits, now: Int64) -> Duration {
    let allowed = limits.bodyTimeout + .seconds(received / max(1, limits.bodyBytesPerSecondMinimum))
    return allowed - .milliseconds((now - startedAt) * EdgeLimits.tickMilliseconds)
  }
}

/// How the head announces the body. NIO's parser has refused contradictions between the two already.
enum AnnouncedBody: Equatable {
  case none
  case length(Int)
  case chunked

  init(_ headers: HTTPHeaders) {
    if headers.contains(name: "transfer-encoding") {
      self = .chunked
    } else if let text = headers.first(name: "content-length"), let length = Int(text), length > 0 {
      self = .length(length)
    } else {
      self = .none
    }
  }

  func exceeds(_ limit: Int) -> Bool { if case .length(let length) = self { length > limit } else { false } }
}
