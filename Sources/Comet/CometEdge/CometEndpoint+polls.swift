import Bayeux
package import CometEngine
package import HTTPKit
import NIOCore
import NIOHTTP1

/// Polls. Spec: GMS 4.1 to 4.3; Bayeux 1.0, "The long-polling Transport" and "The callback-polling Transport".
extension CometEndpoint {
  func poll(_ request: RequestInProgress, on connection: HTTPConnectionHandler) {
    switch CometBody.decode(request.body) {
    case .success(let messages): poll(messages, request.head, on: connection)
    case .failure(let error):
      connection.respond(.malformed("The body is not a Bayeux request: \(error.description)"))
    }
  }

  /// A page of another origin, which would be refused the answer to a POST, could run this one.
  func pollByScript(_ head: HTTPRequestHead, on connection: HTTPConnectionHandler) {
    guard connection.mayLoadScript(head) else {
      return connection.respond(.forbidden("This origin is not allowed here"))
    }
    do throws(EdgeFailure) {
      let request = try CallbackRequest(head.uri)
      poll(request.messages, head, callback: request.callback, on: connection)
    } catch {
      connection.respond(error)
    }
  }

  /// Hands the request's messages to the engine; the answer comes by `CometSink.send`.
  private func poll(
    _ messages: [BayeuxMessage], _ head: HTTPRequestHead, callback: String? = nil, on connection: HTTPConnectionHandler
  ) {
    let caller: Caller
    do throws(EdgeFailure) {
      caller = try connection.caller(head, inBand: messages.lazy.compactMap(\.userToken).first)
    } catch {
      return connection.respond(error)
    }
    if messages.contains(where: { $0.channel == ChannelName.handshake }),
      let refusal = connection.overspendingSessions(userKey: caller.userKey)
    {
      return connection.respond(refusal)
    }
    let exchange = gateway.open(
      connection, transport: callback == nil ? .longPolling : .callbackPolling,
      isMultiplexed: connection.isMultiplexed, userKey: caller.userKey, browserID: BrowserCookie.read(head.headers),
      accessToken: caller.accessToken, address: connection.clientAddress)
    let holds = messages.contains { $0.channel == ChannelName.connect }
    connection.hold(for: CometPoll(gateway: gateway, exchange: exchange, callback: callback), mayWait: holds)
    gateway.received(messages, on: exchange)
  }
}

extension HTTPConnectionHandler: CometConnection {
  /// The engine's one answer to the exchange in progress. If the client left while it was on its way here, its messages
  /// are kept for the next poll.
  package func deliver(_ reply: CometReply) {
    guard answersPoll() else { return }
    let script = (poll as? CometPoll)?.callback.map { reply.script(calling: $0) }
    let length = script?.count ?? reply.length
    var buffer = responseBuffer(capacity: 512 + length)
    buffer.writeStaticString("HTTP/1.1 200 OK\r\n")
    ResponseSerializer.fixedFields(
      script == nil ? "application/json;charset=UTF-8" : "text/javascript;charset=UTF-8", into: &buffer)
    if let browserID = reply.newBrowserID {
      BrowserCookie.write(browserID, isSecure: services.isTLS, into: &buffer)
    }
    writeCrossOriginFields(into: &buffer)
    finishHead(.length(length), into: &buffer)
    if let script { buffer.writeBytes(script) } else { reply.write(into: &buffer) }
    write(buffer, status: 200)
  }
}
