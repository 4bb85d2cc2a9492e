import NIOCore

/// A frame of HTTP/2 as its bytes are, right or wrong. Spec: RFC 9113, 4.1.
struct RawFrame: Equatable {
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    /// Of a type that nobody knows.
    case unknown = 0xFA
  }

  var kind: Kind
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  static let endStream: UInt8 = 1
  static let ack: UInt8 = 1
  static let endHeaders: UInt8 = 4

  var bytes: [UInt8] {
    let length = UInt32(payload.count)
    return Self.bytes(of: length).dropFirst() + [kind.rawValue, flags] + Self.bytes(of: stream) + payload
  }

  var endsStream: Bool { flags & Self.endStream != 0 }

  /// The number that ends the payload: why a stream or a connection ends.
  var code: UInt32 { payload.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }

  /// The next one in `bytes`; nil if it is not whole yet.
  static func read(_ bytes: inout ByteBuffer) -> RawFrame? {
    guard let head = bytes.getBytes(at: bytes.readerIndex, length: 9) else { return nil }
    let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.readableBytes >= 9 + length else { return nil }
    bytes.moveReaderIndex(forwardBy: 9)
    return RawFrame(
      kind: Kind(rawValue: head[3]) ?? .unknown, flags: head[4], stream: head[5...].reduce(0) { $0 << 8 | UInt32($1) },
      payload: bytes.readBytes(length: length) ?? [])
  }

  // MARK: What tests send

  static func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = true) -> RawFrame {
    RawFrame(kind: .headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, payload: block(fields))
  }

  static func data(_ stream: UInt32, _ text: String = "", ends: Bool = false) -> RawFrame {
    RawFrame(kind: .data, flags: ends ? endStream : 0, stream: stream, payload: Array(text.utf8))
  }

  static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> RawFrame {
    RawFrame(kind: .reset, stream: stream, payload: bytes(of: code))
  }

  static func windowUpdate(_ stream: UInt32, _ increment: UInt32 = 1) -> RawFrame {
    RawFrame(kind: .windowUpdate, stream: stream, payload: bytes(of: increment))
  }

  static func settings(_ settings: (id: UInt8, value: UInt32)...) -> RawFrame {
    RawFrame(kind: .settings, payload: settings.flatMap { [0, $0.id] + bytes(of: $0.value) })
  }

  static let ping = RawFrame(kind: .ping, payload: [UInt8](repeating: 7, count: 8))

  /// Fields as HPACK has them that is neither compressed nor kept. Spec: RFC 7541, 6.2.2.
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { name, value in [0] + text(name) + text(value) }
  }

  private static func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var (rest, length) = (bytes.count - 127, [UInt8(127)])
    while rest >= 128 {
      length.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return length + [UInt8(rest)] + bytes
  }

  static func bytes(of number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
}
