import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import HTTPKit

/// What somebody has read out of a connection's bytes: one word for each head, each byte of a body, each end, and
/// whether the rest was refused. How bodies were cut is not in it.
struct RequestReading: Equatable {
  private(set) var words: [String] = []
  var flaw: HTTPRequestFlaw?
  /// What was left for another protocol.
  var rest = ""

  var isRefused: Bool { flaw != nil }

  mutating func append(_ part: HTTPServerRequestPart) {
    switch part {
    case .head(let head):
      // Blanks around a value are none of it; NIO leaves those behind it.
      let fields = head.headers.map { "\($0.name): \($0.value.trimmed)" }
      words.append(
        "\(head.method.rawValue) \(head.uri) \(head.version.major).\(head.version.minor) \(fields.joined(separator: "|"))"
      )
    case .body(let bytes): words += bytes.readableBytesView.map { "byte \($0)" }
    case .end: words.append("end")
    }
  }

  /// How it stands to what the reference has read.
  func compared(to reference: RequestReading) -> Comparison {
    if words == reference.words, isRefused == reference.isRefused { return .same }
    if isRefused, reference.words.starts(with: words) { return .stricter }
    if !isRefused, reference.isRefused, words == reference.words { return .waits }
    return .different
  }

  enum Comparison: String {
    case same
    /// It refuses what the reference takes, and has read the same before.
    case stricter
    /// It waits for more where the reference refuses already.
    case waits
    case different
  }

  static let (headBytesMaximum, fieldsMaximum) = (200, 4)

  /// What the server reads in `pieces`, which come one after the other.
  static func ours(_ pieces: [[UInt8]]) -> RequestReading {
    var parser = HTTPRequestParser(headBytesMaximum: headBytesMaximum, fieldsMaximum: fieldsMaximum)
    var reading = RequestReading()
    for piece in pieces {
      parser.append(ByteBuffer(bytes: piece))
      do {
        while let part = try parser.next() { reading.append(part) }
      } catch {
        reading.flaw = error
      }
    }
    if let rest = parser.takeRest(), reading.words.last == "end" { reading.rest = String(buffer: rest) }
    return reading
  }

  /// What NIO's decoder reads, byte for byte: it does not see a flaw any earlier.
  static func reference(_ bytes: [UInt8]) -> RequestReading {
    let channel = EmbeddedChannel()
    defer { _ = try? channel.finish() }
    let recorder = Recorder()
    var limits = NIOHTTPDecoderLimitConfiguration()
    (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (headBytesMaximum, headBytesMaximum)
    limits.maxHeaderFieldCount = fieldsMaximum
    do {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)))
      try pipeline.addHandler(recorder)
      try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
      for byte in bytes where !recorder.reading.isRefused { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
    } catch {
      recorder.reading.flaw = .malformed
    }
    return recorder.reading
  }

  private final class Recorder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    var reading = RequestReading()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { reading.append(unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      switch error as? HTTPParserError {
      case .headerOverflow?: reading.flaw = .headTooLarge
      case .invalidVersion?: reading.flaw = .unknownVersion
      default: reading.flaw = .malformed
      }
    }
  }
}

extension String {
  fileprivate var trimmed: Substring {
    var text = self[...]
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
