import EdgeSecurity
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
package import NIOHTTP1
import ServerKit
import Transparency

/// What a witness says over HTTP: one target, one method. Spec: C2SP tlog-witness, add-checkpoint.
package final class WitnessSite: HTTPSite {
  package static let target = "/add-checkpoint"
  private static let surface = HTTPSurface(number: 0, isForCustomers: false, namesUsers: false)

  package let services: HTTPServices
  private let desk: WitnessDesk

  /// - Throws: never in fact: there are no tokens where a witness looks for them.
  init(desk: WitnessDesk, settings: HTTPSettings, logger: Logger) throws {
    self.desk = desk
    let security = SecurityLog(logger: logger) { StrangerBudgets.monotonicNanoseconds() / 1_000_000 }
    services = HTTPServices(
      settings, otherSurface: Self.surface, webSocketSurface: Self.surface,
      identity: UserIdentity(
        .open, proxies: .none, limits: settings.limits, now: { Timestamp(milliseconds: 0) }, security: security,
        logger: logger
      ) { _ in false },
      // Nobody shows one: a checkpoint's signature says whose it is.
      tokens: try TokenStore(directory: "/nonexistent"),
      responder: Router(context: EdgeRequestContext.self).buildResponder(), metrics: HTTPMetrics(surfaces: ["witness"]),
      security: security, guesses: GuessGuard(security, settings.budgets), logger: logger)
  }

  package func surface(of target: String) -> (HTTPSurface, bodyBytesMaximum: Int) {
    (
      Self.surface,
      bodyBytesMaximum: Self.isOurs(target)
        ? EvidenceLimits.addCheckpointByteCountMaximum : WitnessLimits.otherBodyByteCountMaximum
    )
  }

  package func refusal(of head: HTTPRequestHead, on connection: HTTPConnectionHandler) -> EdgeFailure? {
    guard Self.isOurs(head.uri) else { return .notFound }
    guard head.method == .POST else { return .methodNotAllowed(allow: "POST") }
    guard !connection.residents.isStopping else { return .unavailable("The witness stops") }
    return nil
  }

  package func serve(_ request: RequestInProgress, on connection: HTTPConnectionHandler) {
    connection.workElsewhere()
    let body = request.body.map { Array($0.readableBytesView) } ?? []
    let isTaken = desk.ask(body) { answer in connection.eventLoop.execute { connection.deliver(answer) } }
    if !isTaken { connection.respond(.unavailable("Too many logs ask at once")) }
  }

  package func body(of failure: EdgeFailure, on connection: HTTPConnectionHandler) -> (StaticString, [UInt8]) {
    ("text/plain; charset=utf-8", Array("\(failure.message)\n".utf8))
  }

  /// There are no routes.
  package func response(to failure: EdgeFailure, on surface: HTTPSurface) -> Response {
    Response(status: failure.status)
  }

  private static func isOurs(_ target: String) -> Bool { target == Self.target }
}

extension HTTPConnectionHandler {
  /// - Parameter answer: nil if there is none, though none of it was the log's fault.
  fileprivate func deliver(_ answer: WitnessAnswer?) {
    guard isRouting else { return }
    guard let answer else { return respond(.unavailable("The witness cannot sign")) }
    var fields = HTTPFields()
    fields[.contentType] = answer.contentType
    fields[.cacheControl] = "no-store"
    let body = answer.body.utf8
    var buffer = responseBuffer(capacity: 512 + body.count)
    ResponseSerializer.statusLine(HTTPResponse.Status(integerLiteral: answer.status), into: &buffer)
    ResponseSerializer.fields(fields, into: &buffer)
    finishHead(.length(body.count), into: &buffer)
    buffer.writeBytes(body)
    write(buffer, status: answer.status)
  }
}
