internal import AsyncHTTPClient
internal import NIOCore
internal import NIOSSL
internal import NetworkAddress
internal import Synchronization

/// HTTP clients, one for each host and the checked address that it is reached at: the client is told the address, so
/// that the name is not resolved a second time, to something else. Spec: providers 4.5.
final class ClientPool: Sendable {
  struct Key: Hashable {
    let host: String
    /// Nil for the operator's own URLs: any address that the name has.
    let address: IPAddress?
    let trust: TrustRoots?
    /// Without a byte from the receiver. Part of the key, as a client has one for all of its requests.
    let readTimeout: Duration
  }

  /// A client in use; must be given back.
  final class Lease: Sendable {
    let client: HTTPClient
    fileprivate let key: Key
    fileprivate init(_ client: HTTPClient, _ key: Key) {
      self.client = client
      self.key = key
    }
  }

  private struct Entry {
    let lease: Lease
    var users = 0
    var lastUse: UInt64 = 0
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    /// Thrown out while in use; the last user closes them.
    var retired: [ObjectIdentifier: (lease: Lease, users: Int)] = [:]
    var closing: [ObjectIdentifier: Task<Void, Never>] = [:]
    var uses: UInt64 = 0
    var isShutDown = false
  }

  private let settings: WebhookSettings
  private let state = Mutex(State())

  init(_ settings: WebhookSettings) { self.settings = settings }

  /// Clients that are open, for tests.
  var count: Int { state.withLock { $0.entries.count + $0.retired.count } }

  /// The client for a host at an address, made if there is none. Nil after the shutdown.
  func borrow(_ key: Key) -> Lease? {
    state.withLock { state in
      guard !state.isShutDown else { return nil }
      state.uses += 1
      if state.entries[key] == nil {
        if state.entries.count >= settings.hostsMaximum { retireOldest(&state) }
        state.entries[key] = Entry(lease: Lease(HTTPClient(configuration: configuration(key)), key))
      }
      state.entries[key]?.users += 1
      state.entries[key]?.lastUse = state.uses
      return state.entries[key]?.lease
    }
  }

  func giveBack(_ lease: Lease) {
    state.withLock { state in
      if state.entries[lease.key]?.lease === lease {
        state.entries[lease.key]?.users -= 1
      } else if let retired = state.retired[ObjectIdentifier(lease)] {
        state.retired[ObjectIdentifier(lease)] = retired.users > 1 ? (lease, retired.users - 1) : nil
        if retired.users == 1 { close(lease, &state) }
      }
    }
  }

  /// Ends what is in flight and closes every connection.
  func shutdown() async {
    let tasks = state.withLock { state in
      state.isShutDown = true
      for lease in state.entries.values.map(\.lease) + state.retired.values.map(\.lease) { close(lease, &state) }
      state.entries = [:]
      state.retired = [:]
      return Array(state.closing.values)
    }
    for task in tasks { await task.value }
  }

  private func retireOldest(_ state: inout State) {
    guard let (key, entry) = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
    state.entries[key] = nil
    if entry.users == 0 {
      close(entry.lease, &state)
    } else {
      state.retired[ObjectIdentifier(entry.lease)] = (entry.lease, entry.users)
    }
  }

  /// The task is kept until it has ended, so that `shutdown` can wait for it.
  private func close(_ lease: Lease, _ state: inout State) {
    state.closing[ObjectIdentifier(lease)] = Task {
      // The only error is that it has been done before.
      try? await lease.client.shutdown()
      self.state.withLock { $0.closing[ObjectIdentifier(lease)] = nil }
    }
  }

  private func configuration(_ key: Key) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.timeout.connect = TimeAmount(settings.connectTimeout)
    configuration.timeout.read = TimeAmount(key.readTimeout)
    configuration.timeout.write = TimeAmount(key.readTimeout)
    configuration.connectionPool.idleTimeout = TimeAmount(settings.idleTimeout)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.inFlightPerEndpointMaximum
    // The queue has its own pauses: a receiver that refuses connections is reported at once.
    configuration.connectionPool.retryConnectionEstablishment = false
    if let trust = key.trust {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.additionalTrustRoots = [.certificates(trust.certificates)]
      configuration.tlsConfiguration = tls
    }
    if let address = key.address { configuration.dnsOverride = [key.host: address.text] }
    // The second lock on the same door.
    let judge: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
      ConnectionJudge.judge(channel, host: key.host, address: key.address)
    }
    configuration.http1_1ConnectionDebugInitializer = judge
    configuration.http2ConnectionDebugInitializer = judge
    return configuration
  }
}
