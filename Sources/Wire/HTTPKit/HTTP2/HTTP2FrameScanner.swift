/// Finds the frames in the bytes of one direction of an HTTP/2 connection, wherever these are cut. Nothing is kept of
/// what the frames hold. Spec: RFC 9113, 4.1.
package struct HTTP2FrameScanner {
  /// A frame's type, as on the wire.
  package struct Kind: Equatable {
    package let code: UInt8

    package static let data = Kind(code: 0)
    package static let headers = Kind(code: 1)
    package static let goAway = Kind(code: 7)
    package static let windowUpdate = Kind(code: 8)
    package static let continuation = Kind(code: 9)

    package var isKnown: Bool { code <= Self.continuation.code }
  }

  package enum Finding: Equatable {
    /// A frame begins.
    case frame(Kind)
    /// Why a GOAWAY ends the connection; 0 is no error.
    case goAway(code: UInt32)
  }

  private enum Place {
    case head
    case payload
    /// The first bytes of a GOAWAY: the last stream's number, and why.
    case reason
  }

  /// Of a frame's nine: length, type and flags; the stream's number is passed over with the payload.
  private static let headBytes = 5
  private static let streamNumberBytes = 4
  private static let reasonBytes = 8

  private var place: Place
  /// Bytes until the next place.
  private var left: Int
  /// The last eight bytes of a place that is looked at.
  private var register: UInt64 = 0
  /// Of a GOAWAY, behind its reason.
  private var behindReason = 0

  /// - Parameter passing: bytes that come before the first frame.
  package init(passing: Int = 0) {
    place = passing > 0 ? .payload : .head
    left = passing > 0 ? passing : Self.headBytes
  }

  /// Looks at the next bytes, and tells what is found in them.
  package mutating func scan(_ bytes: UnsafeRawBufferPointer, _ tell: (Finding) -> Void) {
    var at = 0
    while at < bytes.count {
      let count = min(left, bytes.count - at)
      if place != .payload {
        for byte in bytes[at..<at + count] { register = register << 8 | UInt64(byte) }
      }
      at += count
      left -= count
      if left == 0 { advance(tell) }
    }
  }

  private mutating func advance(_ tell: (Finding) -> Void) {
    switch place {
    case .payload: (place, left, register) = (.head, Self.headBytes, 0)
    case .head:
      let length = Int(register >> 16)
      let kind = Kind(code: UInt8(truncatingIfNeeded: register >> 8))
      tell(.frame(kind))
      (place, left) = (.payload, length + Self.streamNumberBytes)
      if kind == .goAway, length >= Self.reasonBytes {
        (place, left) = (.reason, Self.streamNumberBytes + Self.reasonBytes)
        behindReason = length - Self.reasonBytes
      }
    case .reason:
      tell(.goAway(code: UInt32(truncatingIfNeeded: register)))
      (place, left) = (.payload, behindReason)
      if left == 0 { advance(tell) }
    }
  }
}
