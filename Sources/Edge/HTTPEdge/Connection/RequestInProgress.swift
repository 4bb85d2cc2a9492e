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
  private(set) var received = 0
  private(set) var body: ByteBuffer?

  init(head: HTTPRequestHead, limit: Int, refusal: EdgeFailure?, startedAt: Int64) {
    self.head = head
    self.limit = limit
    self.refusal = refusal
    self.startedAt = startedAt
  }

  /// False if the body is now larger than its limit.
  mutating func append(_ part: ByteBuffer) -> Bool {
    received += part.readableBytes
    guard received <= limit else { return false }
    guard refusal == nil else { return true }
    if body == nil {
      body = part
    } else {
      body?.writeImmutableBuffer(part)
    }
    return true
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
