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
    await end(sparing: false, grace: grace, after: finish)
    residents.end()
  }

  /// As `close`, which is still to come, but goes on taking connections, for one request each, and leaves those alone that
  /// outlive it.
  package func stop(grace: Duration, after finish: () async -> Void) async {
    await end(sparing: true, grace: grace, after: finish)
  }

  private func end(sparing: Bool, grace: Duration, after finish: () async -> Void) async {
    residents.stopAll(sparing: sparing)
    await finish()
    if !Task.isCancelled { await untilAllAreClosed(sparing: sparing, within: grace) }
    residents.cutAll(sparing: sparing)
    // Nobody's cancellation may leave a socket behind.
    await Task { await untilAllAreClosed(sparing: sparing, within: .seconds(1)) }.value
  }

  private func untilAllAreClosed(sparing: Bool, within patience: Duration) async {
    let end = ContinuousClock.now + patience
    while connections.current > (sparing ? residents.outliving.current : 0), ContinuousClock.now < end {
      do { try await Task.sleep(for: .milliseconds(10)) } catch { return }
    }
  }
}
