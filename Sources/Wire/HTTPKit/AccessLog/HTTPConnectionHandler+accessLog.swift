import NIOCore
import NIOHTTP1

/// What becomes of a request, for those who watch the server.
extension HTTPConnectionHandler {
  private static let requestIDField = "x-request-id"

  /// A head has come, and it is known where it is from.
  func watch(_ head: HTTPRequestHead) {
    begun = NIODeadline.now().uptimeNanoseconds
    route = services.metrics.routes.table.route(head.method.rawValue, head.uri)
    guard let log = services.accessLog, log.sampling.next() else { return }
    entry = AccessEntry(
      id: requestID(head) ?? log.newID(), method: AccessEntry.method(head.method.rawValue),
      version: stream == nil ? head.version.description : "HTTP/2", route: route, remote: clientAddress,
      role: role(head), begun: begun)
  }

  /// The answer begins.
  func answers(status: Int, bytes: Int) {
    let now = NIODeadline.now().uptimeNanoseconds
    // What could not be read has no beginning; what is held has one, and waits for something to say.
    let isTimed = begun > 0 && !isHeld
    services.metrics.routes.count(
      route, status: status, nanoseconds: isTimed ? Int64(clamping: now - min(begun, now)) : nil)
    entry?.status = status
    entry?.bytes += bytes
  }

  /// The answer is written, or nobody waits for it any more.
  func finishEntry() {
    guard let entry else { return }
    self.entry = nil
    services.accessLog?.finish(
      entry, services.metrics.routes.table.names, nanoseconds: NIODeadline.now().uptimeNanoseconds)
  }

  /// A proxy's, if that is one whose word is taken: what a stranger calls a request may say anything.
  private func requestID(_ head: HTTPRequestHead) -> String? {
    guard services.settings.proxies.trusts(peer), let given = head.headers.first(name: Self.requestIDField),
      AccessEntry.isPlain(given)
    else { return nil }
    return given
  }

  private func role(_ head: HTTPRequestHead) -> TokenRole? {
    if showsCredential {
      let authorization = head.headers.first(name: "authorization")
      let secret = TokenStore.bearer(of: authorization) ?? BasicCredentials(authorization: authorization)?.password
      return secret.flatMap { services.tokens.token(for: $0) }?.role
    }
    guard mayShowSession, let shown = ShownSession(head) else { return nil }
    return services.tokens.token(ofSession: shown.secret)?.role
  }
}
