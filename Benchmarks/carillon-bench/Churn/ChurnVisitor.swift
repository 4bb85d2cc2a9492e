import Glibc
import NIOCore

/// One visitor who comes, does what its kind does, stays for a moment, and leaves without a word. Belongs to its event
/// loop.
final class ChurnVisitor: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Something to say, and the text by which its answer is known to be whole; nil for what is not answered.
  private struct Step {
    let bytes: (_ clientID: String) -> [UInt8]
    let answer: String?
  }

  private let steps: [Step]
  private let stay: TimeAmount
  private let isAbrupt: Bool
  private let left: (_ hasSucceeded: Bool) -> Void
  private var next = 0
  private var clientID = ""
  private var answer: [UInt8] = []
  private var hasLeft = false
  private var isDone = false
  private static let answerBytesMaximum = 65_536

  /// - Parameter left: called once, when its connection is closed: whether everything was answered as it should be.
  init(
    _ kind: ChurnKind, number: Int, agentToken: String, stay: TimeAmount, left: @escaping (_ hasSucceeded: Bool) -> Void
  ) {
    steps = Self.steps(of: kind, user: "visitor-\(number)", agentToken: agentToken)
    isAbrupt = kind.isAbrupt
    self.stay = stay
    self.left = left
  }

  func channelActive(context: ChannelHandlerContext) { proceed(context) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard next > 0, next <= steps.count, let end = steps[next - 1].answer else { return }
    answer += unwrapInboundIn(data).readableBytesView
    guard answer.count <= Self.answerBytesMaximum else { return context.close(promise: nil) }
    let text = String(decoding: answer, as: UTF8.self)
    guard text.contains(end) else { return }
    if let start = text.firstRange(of: #""clientId":""#) {
      clientID = String(text[start.upperBound...].prefix { $0 != "\"" })
    }
    proceed(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    guard !isDone else { return }
    isDone = true
    left(hasLeft)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func proceed(_ context: ChannelHandlerContext) {
    answer = []
    guard next < steps.count else { return }
    let step = steps[next]
    next += 1
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: step.bytes(clientID))), promise: nil)
    if step.answer == nil { leaveLater(context) }
  }

  private func leaveLater(_ context: ChannelHandlerContext) {
    let channel = context.channel
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let isAbrupt = isAbrupt
    context.eventLoop.scheduleTask(in: stay) {
      guard channel.isActive else { return }
      bound.value.hasLeft = true
      guard isAbrupt else { return channel.close(promise: nil) }
      // A reset instead of a farewell, as from a phone whose radio is gone.
      (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        .whenComplete { _ in channel.close(promise: nil) }
    }
  }

  private static func steps(of kind: ChurnKind, user: String, agentToken: String) -> [Step] {
    func step(_ text: String, until answer: String?) -> Step { Step(bytes: { _ in Array(text.utf8) }, answer: answer) }
    func post(_ body: @escaping (String) -> String, until answer: String?) -> Step {
      Step(
        bytes: { clientID in
          let body = body(clientID)
          return Array(
            "POST /genesys/cometd HTTP/1.1\r\nHost: x\r\ngms_user: \(user)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
              .utf8)
        }, answer: answer)
    }
    let subscribe: (String) -> String = {
      #"[{"channel":"/meta/subscribe","clientId":"\#($0)","subscription":"/_genesys"}]"#
    }
    switch kind {
    case .pollClosed, .pollReset:
      let connect = { CometText.connect($0, over: "long-polling") }
      return [
        post({ _ in CometText.handshake }, until: "}]"), post(subscribe, until: "}]"), post(connect, until: "}]"),
        post(connect, until: nil),
      ]
    case .webSocket:
      let upgrade =
        "GET /genesys/cometd HTTP/1.1\r\nHost: x\r\ngms_user: \(user)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      let connect = { CometText.frame(CometText.connect($0, over: "websocket")) }
      return [
        step(upgrade, until: "\r\n\r\n"), Step(bytes: { _ in CometText.frame(CometText.handshake) }, answer: "}]"),
        Step(bytes: { CometText.frame(subscribe($0)) }, answer: "}]"), Step(bytes: connect, answer: "}]"),
        Step(bytes: connect, answer: nil),
      ]
    case .idle:
      return [
        step("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", until: "\r\n\r\n"),
        step("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", until: nil),
      ]
    case .halfHead: return [step("POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Le", until: nil)]
    case .stream:
      let request = "GET /agent/1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(agentToken)\r\n\r\n"
      // Silent until something happens: the head need not be waited for.
      return [step(request, until: nil)]
    }
  }
}

/// How a visitor leaves.
enum ChurnKind: String, CaseIterable, Sendable {
  case pollClosed, pollReset, webSocket, idle, halfHead, stream

  var isAbrupt: Bool { self == .pollReset }
}

private enum CometText {
  static let handshake =
    #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling","websocket"]}]"#

  static func connect(_ clientID: String, over transport: String) -> String {
    #"[{"channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"\#(transport)"}]"#
  }

  /// A client's text frame; the mask is zeros.
  static func frame(_ text: String) -> [UInt8] {
    let count = text.utf8.count
    let length: [UInt8] = count < 126 ? [0x80 | UInt8(count)] : [0xFE, UInt8(count >> 8), UInt8(count & 255)]
    return [0x81] + length + [0, 0, 0, 0] + Array(text.utf8)
  }
}
