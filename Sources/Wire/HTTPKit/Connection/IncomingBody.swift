import NIOCore
import NIOHTTP1

/// A body that is being read.
struct IncomingBody {
  let bytesMaximum: Int
  /// Only its end is waited for.
  let isIgnored: Bool
  /// Milliseconds of the loop at the head.
  private let startedAt: Int64
  /// What the parser had taken of the connection at the head.
  private let bytesReadBefore: Int
  private var received = 0
  /// What chunks of the sizes that came need beside their content, at least.
  private var framingBytes = 0
  private(set) var bytes: ByteBuffer?

  init(_ verdict: HTTPHeadVerdict) {
    bytesMaximum = verdict.bodyBytesMaximum
    isIgnored = verdict.isRefused
    startedAt = verdict.now
    bytesReadBefore = verdict.bytesRead
  }

  /// False if the body is now larger than its limit.
  mutating func append(_ part: ByteBuffer) -> Bool {
    received += part.readableBytes
    framingBytes += String(part.readableBytes, radix: 16).utf8.count + 4
    guard received <= bytesMaximum else { return false }
    guard !isIgnored else { return true }
    if bytes == nil {
      bytes = part
    } else {
      bytes?.writeImmutableBuffer(part)
    }
    return true
  }

  /// Whether the body's chunks bring more beside their content than a head may be long: extensions, zeros before their
  /// sizes, trailers. Spec: RFC 9112, 7.1.1.
  ///
  /// - Parameter bytesRead: what the parser has taken of the connection by now. One read more than a head is let pass.
  func hasExcess(_ limits: HTTPConnectionLimits, bytesRead: Int) -> Bool {
    bytesRead - bytesReadBefore - received - framingBytes > limits.headBytesMaximum + limits.readBytesMaximum
  }

  /// How long a body of this size so far may still take; not positive if it is too slow.
  func patience(_ limits: HTTPConnectionLimits, now: Int64) -> Duration {
    let allowed = limits.bodyTimeout + .seconds(received / max(1, limits.bodyBytesPerSecondMinimum))
    return allowed - .milliseconds(now - startedAt)
  }
}

/// How the head announces the body. The parser has refused contradictions between the two already.
enum AnnouncedBody: Equatable {
  case none
  case length(Int)
  /// In chunks, or on a stream of HTTP/2: as long as it gets.
  case unknownLength

  init(_ head: HTTPRequestHead) {
    if head.headers.contains(name: "transfer-encoding") {
      self = .unknownLength
    } else if let text = head.headers.first(name: "content-length"), let length = Int(text) {
      self = length > 0 ? .length(length) : .none
    } else {
      self = head.version.major > 1 ? .unknownLength : .none
    }
  }

  func exceeds(_ limit: Int) -> Bool { if case .length(let length) = self { length > limit } else { false } }
}
