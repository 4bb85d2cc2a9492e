package import ChatAPI
package import HTTPKit
import NIOCore
package import NIOHTTP1

/// What agents do by requests, past the router, which costs more than what is done. One `Task` each, which the connection
/// owns, and which the client's leaving cancels. Spec: GMS 12.3.
///
/// Only the plain form of a request is taken: whatever is written in another way, or shows who asks in another way, is the
/// router's, and is answered the same there.
package struct AgentActEndpoint: Sendable {
  /// An act, and where it is to be done.
  package struct Order: Sendable {
    let act: BoundAgentAct
    let chat: String
    let authorization: String
  }

  private let routes: AgentRoutes
  /// By what paths call them.
  private let acts: [String: BoundAgentAct]

  /// - Parameter acts: those without a resource are left out.
  package init(routes: AgentRoutes, acts: [BoundAgentAct]) {
    self.routes = routes
    self.acts = Dictionary(uniqueKeysWithValues: acts.compactMap { act in act.resource.map { ($0, act) } })
  }

  /// What a request wants done: `POST /agent/1/chats/{chat}/{act}` with one `Authorization`. Nil for everything else.
  package func order(_ head: HTTPRequestHead) -> Order? {
    guard head.method == .POST, head.uri.utf8.starts(with: BoundAgentAct.chats.utf8) else { return nil }
    let rest = head.uri.utf8.dropFirst(BoundAgentAct.chats.utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), let act = acts[String(rest[slash...].dropFirst()) ?? ""]
    else { return nil }
    let chat = rest[..<slash]
    // An id with anything else in it may mean another one, once it is decoded.
    guard !chat.isEmpty, chat.allSatisfy(Self.isPlain), let text = String(chat) else { return nil }
    let authorizations = head.headers["authorization"]
    guard authorizations.count == 1 else { return nil }
    return Order(act: act, chat: text, authorization: authorizations[0])
  }

  /// Letters, digits, hyphens and underscores.
  private static func isPlain(_ byte: UInt8) -> Bool {
    let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    return isLetter || isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Has it done, and answers as the route does.
  package func serve(_ request: RequestInProgress, _ order: Order, on connection: HTTPConnectionHandler) {
    let address = RequestedAddress(
      authority: request.head.headers.first(name: "host"), isTLS: connection.isTLS,
      localPort: connection.context?.channel.localAddress?.port ?? 0)
    let body = request.body.map { Array($0.readableBytesView) } ?? []
    connection.work {
      let result: Result<[UInt8], EdgeFailure>
      do {
        result = .success(try await perform(order, body, address))
      } catch {
        result = .failure(EdgeFailure(describing: error, logger: connection.services.logger))
      }
      connection.eventLoop.execute { connection.deliver(result) }
    }
  }

  private func perform(_ order: Order, _ body: [UInt8], _ address: RequestedAddress) async throws -> [UInt8] {
    let token = try routes.tokens.agent(bearing: TokenStore.bearer(of: order.authorization))
    let call = AgentCall(token: token, chat: order.chat, body: try JSONBody(body), address: address)
    return try await order.act.perform(call)
  }
}
