package import Bayeux
package import CometEngine
import Foundation
package import JSONEnvelope
import Synchronization

/// How requests of a client come.
package struct ScriptedLink: Sendable {
  package var transport = ConnectionType.longPolling
  /// The `BAYEUX_BROWSER` cookie that they show.
  package var browserID: String?
  /// As over HTTP/2.
  package var isMultiplexed = false

  package init(_ browserID: String? = nil, _ transport: ConnectionType = .longPolling, isMultiplexed: Bool = false) {
    self.browserID = browserID
    self.transport = transport
    self.isMultiplexed = isMultiplexed
  }
}

/// A client of the gateway: one user, one exchange for each request.
package final class ScriptedClient: Sendable {
  package let gateway: CometGateway
  package let user: String?
  package let accessToken: String?
  private let link: ScriptedLink
  private let id = Mutex<String?>(nil)

  package init(
    _ gateway: CometGateway, user: String?, accessToken: String? = nil, clientID: String? = nil,
    link: ScriptedLink = ScriptedLink()
  ) {
    self.gateway = gateway
    self.link = link
    self.user = user
    self.accessToken = accessToken
    id.withLock { $0 = clientID }
  }

  package var clientID: String? { id.withLock { $0 } }

  /// Sends a request; the sink gets its reply.
  ///
  /// - Parameter whenAnswered: called in the same breath as the reply is handed out.
  package func send(_ json: String, whenAnswered: (@Sendable () -> Void)? = nil) throws -> ScriptedSink {
    let sink = ScriptedSink(whenAnswered: whenAnswered)
    let exchange = gateway.open(
      sink, transport: link.transport, isMultiplexed: link.isMultiplexed, userKey: user, browserID: link.browserID,
      accessToken: accessToken)
    sink.attach(exchange, gateway)
    let text = json.replacingOccurrences(of: "$ID", with: clientID ?? "")
    gateway.received(try BayeuxDecoder.decode(Array(text.utf8)), on: exchange)
    return sink
  }

  package func ask(_ json: String) async throws -> [JSONValue] { try await send(json).reply() }

  /// - Parameter ext: a JSON object.
  package func handshake(ext: String = "{}") async throws {
    let reply = try await ask(
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1","ext":\#(ext)}]"#
    )
    id.withLock { $0 = reply.first?["clientId"]?.string }
  }

  /// Handshake, subscribe, first connect: the order of the Java client.
  package func comeOnline(ext: String = "{}") async throws -> [JSONValue] {
    try await handshake(ext: ext)
    let subscribed = try await ask(
      #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","id":"2"}]"#)
    // What was there already may come along.
    return try await subscribed.filter { $0["channel"]?.string != "/meta/subscribe" } + connect()
  }

  package func poll(ext: String = "{}", advice: String = "{}") throws -> ScriptedSink {
    try send(
      #"[{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling","id":"3","#
        + #""ext":\#(ext),"advice":\#(advice)}]"#)
  }

  package func connect(ext: String = "{}", advice: String = "{}") async throws -> [JSONValue] {
    try await poll(ext: ext, advice: advice).reply()
  }

  package func disconnect(position: Int) async throws -> [JSONValue] {
    try await ask(
      #"[{"channel":"/meta/disconnect","clientId":"$ID","ext":{"transcriptPosition":"\#(position)"},"id":"9"}]"#)
  }
}
