import Bayeux
import Engine
import HTTPTypes
import NIOCore
import NIOHTTP1
import ServerKit

/// The Comet endpoint's long polls. Spec: GMS 4.1 to 4.3; Bayeux 1.0, "The long-polling Transport".
extension HTTPConnectionHandler: CometConnection {
  /// Hands the request's messages to the engine; the answer comes by `send`.
  func poll(_ request: RequestInProgress) {
    let headers = request.head.headers
    let messages: [BayeuxMessage]
    switch Self.decode(request.body) {
    case .success(let decoded): messages = decoded
    case .failure(let error): return respond(.malformed("The body is not a Bayeux request: \(error.description)"))
    }
    let caller: Caller
    do throws(EdgeFailure) {
      caller = try self.caller(request.head, inBand: messages.lazy.compactMap(\.userToken).first)
    } catch {
      return respond(error)
    }
    let browserID = BrowserCookie.read(headers)
    let comet = services.engine.comet
    if messages.contains(where: { $0.channel == ChannelName.handshake }),
      let refusal = overspendingSessions(userKey: caller.userKey)
    {
      return respond(refusal)
    }
    let exchange = comet.open(
      self, transport: .longPolling, userKey: caller.userKey, browserID: browserID, accessToken: caller.accessToken,
      address: clientAddress)
    self.exchange = exchange
    let holds = messages.contains { $0.channel == ChannelName.connect }
    tell(.polls(mayWait: holds))
    services.heldPolls.open()
    comet.received(messages, on: exchange)
  }

  /// The engine's one answer to the exchange in progress.
  func deliver(_ reply: CometReply) {
    guard machine.isPolling, context != nil else {
      // The client left while the answer was on its way here: its messages are kept for the next poll.
      if let exchange { services.engine.comet.written(exchange, success: false) }
      return
    }
    services.heldPolls.close()
    arrival.begin()
    var buffer = responseBuffer(capacity: 512 + reply.messages.reduce(2) { $0 + $1.count + 1 })
    buffer.writeStaticString("HTTP/1.1 200 OK\r\n")
    ResponseSerializer.fixedFields(into: &buffer)
    if let browserID = reply.newBrowserID {
      BrowserCookie.write(browserID, isSecure: services.isTLS, into: &buffer)
    }
    writeCrossOriginFields(into: &buffer)
    let length = 2 + reply.messages.reduce(0) { $0 + $1.count } + max(0, reply.messages.count - 1)
    ResponseSerializer.finishHead(
      .length(length), closing: machine.closesAfterResponse, services.securityFields, into: &buffer)
    Self.writeArray(reply.messages, into: &buffer)
    write(buffer, status: 200)
  }

  /// The JSON array of messages that are JSON already.
  static func writeArray(_ messages: [[UInt8]], into buffer: inout ByteBuffer) {
    buffer.writeStaticString("[")
    var isFirst = true
    for message in messages {
      if !isFirst { buffer.writeStaticString(",") }
      isFirst = false
      buffer.writeBytes(message)
    }
    buffer.writeStaticString("]")
  }

  static func decode(_ body: ByteBuffer?) -> Result<[BayeuxMessage], BayeuxDecodingError> {
    guard let body else { return .failure(.empty) }
    return body.withUnsafeReadableBytes { bytes in
      Result { () throws(BayeuxDecodingError) -> [BayeuxMessage] in try BayeuxDecoder.decode(bytes) }
    }
  }
}
