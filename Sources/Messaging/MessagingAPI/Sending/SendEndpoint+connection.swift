import EntityRuntime
package import HTTPKit
import HTTPTypes
import MessagingEngine
import NIOCore
import NIOHTTP1

/// Requests that send messages: past the router, which costs as much as all the rest. What is short is done on a lane;
/// the rest has one `Task` each, which the connection owns, and which the client's leaving cancels.
extension SendEndpoint {
  package func serve(_ request: RequestInProgress, _ route: SendRoute, on connection: HTTPConnectionHandler) {
    let headers = request.head.headers
    let dialect = SendDialect(route, contentType: headers.first(name: "content-type"))
    let call = Call(
      dialect: dialect, isPost: request.head.method == .POST, authorization: headers.first(name: "authorization"),
      address: connection.clientAddress, body: request.body.map { Array($0.readableBytesView) } ?? [])
    let deliver: @Sendable (SendAnswer) -> Void = { answer in
      connection.eventLoop.execute { connection.deliver(answer, dialect) }
    }
    guard begun.enter() else { return connection.work { deliver(await answer(to: call)) } }
    connection.workElsewhere()
    let lane = messaging.lanes[ObjectIdentifier(connection).hashValue]
    let isTaken = lane.enqueue {
      let beginning = await begin(call) { answer in
        begun.leave()
        deliver(answer)
      }
      switch beginning {
      case .underWay: return
      case .answered(let answer): deliver(answer)
      case .takesLonger(let rest):
        connection.eventLoop.execute { connection.workOn { deliver(await rest()) } }
      }
      begun.leave()
    }
    // The server has stopped.
    if !isTaken {
      begun.leave()
      deliver(dialect.refusal(.serviceUnavailable))
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
