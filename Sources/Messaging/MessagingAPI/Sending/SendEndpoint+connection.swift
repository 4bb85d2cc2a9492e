package import HTTPKit
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Requests that send messages: past the router, which costs as much as all the rest. One `Task` each, which the
/// connection owns, and which the client's leaving cancels.
extension SendEndpoint {
  package func serve(_ request: RequestInProgress, _ route: SendRoute, on connection: HTTPConnectionHandler) {
    let headers = request.head.headers
    let call = Call(
      route: route, isPost: request.head.method == .POST, authorization: headers.first(name: "authorization"),
      contentType: headers.first(name: "content-type"), address: connection.clientAddress,
      body: request.body.map { Array($0.readableBytesView) } ?? [])
    let dialect = SendDialect(route, contentType: call.contentType)
    connection.work {
      let answer = await answer(to: call)
      connection.eventLoop.execute { connection.deliver(answer, dialect) }
    }
  }
}

extension HTTPConnectionHandler {
  fileprivate func deliver(_ answer: SendAnswer, _ dialect: SendDialect) {
    guard isRouting else { return }
    let refusal = refusalOfWrongCredential(answer.status)
    let answer = refusal.map { dialect.refusal($0.status, retryAfter: $0.retryAfter) } ?? answer
    var buffer = responseBuffer(capacity: 384 + answer.body.count)
    answer.write(into: &buffer, isHead: isHead, closing: closesAfterResponse, services.securityFields)
    write(buffer, status: answer.status.code)
  }
}
