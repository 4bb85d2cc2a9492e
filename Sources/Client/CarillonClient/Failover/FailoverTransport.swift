import Bayeux

/// Exchanges with whichever of several servers serves, over a transport for each.
///
/// The session goes along: a standby that has taken over knows the clientId. A server that does not says 402, and that
/// is for the caller, as it is with one server.
final class FailoverTransport: CometTransport {
  let type: ConnectionType
  private let servers: ServerList
  private let transports: [any CometTransport]

  /// - Parameter transports: one for each of the addresses, all of one type.
  init(_ servers: ServerList, _ transports: [any CometTransport]) {
    precondition(transports.count == servers.addresses.count, "each address has its transport")
    self.servers = servers
    self.transports = transports
    type = transports[0].type
  }

  func exchange(_ requests: [CometRequest], timeout: Duration) async throws(ClientError) -> [CometMessage] {
    try await servers.answer { [transports] place throws(ClientError) in
      do throws(ClientError) {
        let replies = try await transports[place].exchange(requests, timeout: timeout)
        guard let refusal = replies.first(where: { $0.errorCode == 503 }) else { return replies }
        throw .unsuccessful(channel: refusal.channel, error: refusal.error ?? "")
      } catch {
        // Whatever it would still bring, the next one brings.
        if error.mayPass { await transports[place].close() }
        throw error
      }
    }
  }

  func close() async { for transport in transports { await transport.close() } }
}
