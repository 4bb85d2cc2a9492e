import NIOCore

/// A port that listens.
package struct OpenPort: Sendable {
  let address: SocketAddress
  private let channel: any Channel
  private let residents: Residents
  private let connections: OpenCount

  init(channel: any Channel, residents: Residents, connections: OpenCount) throws {
    guard let address = channel.localAddress else { throw ChannelError.unknownLocalAddress }
    self.address = address
    self.channel = channel
    self.residents = residents
    self.connections = connections
    residents.start()
  }

  /// The port's number.
  package var number: Int { address.port ?? 0 }

  /// Takes no more connections, tells those that are open to come to their end, and cuts what is left of them.
  ///
  /// - Parameters:
  ///   - grace: what the connections get to come to their end; none if the task is cancelled.
  ///   - finish: what else has to come to its end before that time begins.
  package func close(grace: Duration, after finish: () async -> Void = {}) async {
    try? await channel.close().get()
    residents.stopAll()
    await finish()
    if !Task.isCancelled { await untilAllAreClosed(within: grace) }
    residents.cutAll()
    // Nobody's cancellation may leave a socket behind.
    await Task { await untilAllAreClosed(within: .seconds(1)) }.value
    residents.end()
  }

  private func untilAllAreClosed(within patience: Duration) async {
    let end = ContinuousClock.now + patience
    while connections.current > 0, ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { return }
    }
  }
}
