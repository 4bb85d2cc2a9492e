import Bayeux
package import CometEngine
package import HTTPKit
import NIOCore
import NIOHTTP1

/// Long polls. Spec: GMS 4.1 to 4.3; Bayeux 1.0, "The long-polling Transport".
extension CometEndpoint {
  /// Hands the request's messages to the engine; the answer comes by `CometSink.send`.
  func poll(_ request: RequestInProgress, on connection: HTTPConnectionHandler) {
    let messages: [BayeuxMessage]
    switch CometBody.decode(request.body) {
    case .success(let decoded): messages = decoded
    case .failure(let error):
      return connection.respond(.malformed("The body is not a Bayeux request: \(error.description)"))
    }
    let caller: Caller
    do throws(EdgeFailure) {
      caller = try connection.caller(request.head, inBand: messages.lazy.compactMap(\.userToken).first)
    } catch {
      return connection.respond(error)
    }
    if messages.contains(where: { $0.channel == ChannelName.handshake }),
      let refusal = connection.overspendingSessions(userKey: caller.userKey)
    {
      return connection.respond(refusal)
    }
    let exchange = gateway.open(
      connection, transport: .longPolling, userKey: caller.userKey, browserID: BrowserCookie.read(request.head.headers),
      accessToken: caller.accessToken, address: connection.clientAddress)
    let holds = messages.contains { $0.channel == ChannelName.connect }
    connection.hold(for: CometPoll(gateway: gateway, exchange: exchange), mayWait: holds)
    gateway.received(messages, on: exchange)
  }
}

extension HTTPConnectionHandler: CometConnection {
  /// The engine's one answer to the exchange in progress. If the client left while it was on its way here, its messages
  /// are kept for the next poll.
  package func deliver(_ reply: CometReply) {
    guard answersPoll() else { return }
    let length = reply.length
    var buffer = responseBuffer(capacity: 512 + length)
    buffer.writeStaticString("HTTP/1.1 200 OK\r\n")
    ResponseSerializer.fixedFields(into: &buffer)
    if let browserID = reply.newBrowserID {
      BrowserCookie.write(browserID, isSecure: services.isTLS, into: &buffer)
    }
    writeCrossOriginFields(into: &buffer)
    finishHead(.length(length), into: &buffer)
    reply.write(into: &buffer)
    write(buffer, status: 200)
  }
}
