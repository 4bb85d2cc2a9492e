import Synchronization

/// The address of a server, and those at which its standbys serve once they have taken its place: one of them at a time.
///
/// ```
///   in use ──answers, whatever it says──> in use
///      │
///      └── not there, silent, or not ready ──> the next one is in use; after the last one the first
/// ```
final class ServerList: Sendable {
  let addresses: [ServerAddress]
  private let place = Mutex(0)

  init(_ server: ServerAddress, alternatives: [ServerAddress]) { addresses = [server] + alternatives }

  /// Which of the addresses is in use.
  var placeInUse: Int { place.withLock { $0 } }

  /// The server at `failed` does not serve. Whoever finds that out first moves on for everybody.
  /// - Returns: which one is in use now.
  @discardableResult
  func moveOn(from failed: Int) -> Int {
    place.withLock { place in
      if place == failed { place = (place + 1) % addresses.count }
      return place
    }
  }

  /// Asks the server in use. One that has certainly done nothing of it is not asked again: the others are, as many times
  /// as there are addresses. After any other failure the caller has to know, and the next call asks the next server.
  /// - Throws: what a server said rather than that others could not be reached.
  func answer<Answer: Sendable>(
    _ ask: @Sendable (_ place: Int) async throws(ClientError) -> Answer
  ) async throws(ClientError) -> Answer {
    var place = placeInUse
    var failure: ClientError?
    for _ in addresses {
      do throws(ClientError) {
        return try await ask(place)
      } catch {
        guard error.mayPass else { throw error }
        place = moveOn(from: place)
        guard error.isUndone else { throw error }
        if case .unreachable? = failure { failure = error } else { failure = failure ?? error }
      }
    }
    throw failure ?? .stopped
  }
}
