import HTTPTypes
import NIOCore
import NIOHTTP1

/// Requests that send messages: past the router, which costs as much as all the rest. One `Task` each, which this
/// connection owns, and which the client's leaving cancels.
extension HTTPConnectionHandler {
  func send(_ request: RequestInProgress, _ route: SendRoute) {
    tell(.routes)
    let headers = request.head.headers
    let call = SendEndpoint.Call(
      route: route, isPost: request.head.method == .POST, authorization: headers.first(name: "authorization"),
      contentType: headers.first(name: "content-type"), address: clientAddress,
      body: request.body.map { Array($0.readableBytesView) } ?? [])
    let endpoint = services.sending
    let dialect = SendDialect(route, contentType: call.contentType)
    task = Task { [self] in
      let answer = await endpoint.answer(to: call)
      eventLoop.execute { self.deliver(answer, dialect) }
    }
  }

  private func deliver(_ answer: SendAnswer, _ dialect: SendDialect) {
    guard machine.isRouting else { return }
    let refusal = refusalOfWrongCredential(answer.status)
    let answer = refusal.map { dialect.refusal($0.status, retryAfter: $0.retryAfter) } ?? answer
    var buffer = responseBuffer(capacity: 384 + answer.body.count)
    answer.write(into: &buffer, isHead: machine.isHead, closing: machine.closesAfterResponse, services.securityFields)
    write(buffer, status: answer.status.code)
  }
}
