internal import NIOCore
internal import NIOPosix
internal import NetworkAddress
internal import Synchronization

/// The addresses of names, kept for a minute; what is missing is looked up once for all who wait for it.
///
/// A name server that does not answer holds one thread for its name and nobody longer than the time-out: while the
/// look-up hangs, the next ones are told so at once.
final class AddressBook: Sendable {
  /// Addresses that are kept of one host. All that are found are judged, so a host cannot hide one behind the others:
  /// one with more has none.
  static let addressesMaximum = 64
  /// Hosts that are remembered.
  static let hostsMaximum = 1_024

  enum Failure: Error, Equatable {
    case notFound, timedOut
    /// Too many look-ups are under way.
    case busy
  }

  typealias Answer = Result<[IPAddress], Failure>

  private struct Page {
    var answer: Answer
    let until: ContinuousClock.Instant
  }

  private struct LookUp {
    let number: UInt64
    var waiters: [CheckedContinuation<Answer, Never>] = []
    var hasTimedOut = false
  }

  private struct State {
    var pages: [String: Page] = [:]
    var lookUps: [String: LookUp] = [:]
    var numbers: UInt64 = 0
  }

  private let resolver: any NameResolver
  private let settings: WebhookSettings
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  init(
    _ resolver: any NameResolver, _ settings: WebhookSettings,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.resolver = resolver
    self.settings = settings
    self.now = now
  }

  func shutdown() { resolver.shutdown() }

  /// The addresses of a host, the one to try first in front; never empty.
  func addresses(of host: String) async throws(Failure) -> [IPAddress] {
    let answer: Answer = await withCheckedContinuation { continuation in
      let begun: UInt64? = state.withLock { state in
        if let page = state.pages[host], page.until > now() {
          continuation.resume(returning: page.answer)
          return nil
        }
        if state.lookUps[host] != nil {
          if state.lookUps[host]?.hasTimedOut == true {
            continuation.resume(returning: .failure(.timedOut))
          } else {
            state.lookUps[host]?.waiters.append(continuation)
          }
          return nil
        }
        guard state.lookUps.count < settings.lookUpsMaximum else {
          continuation.resume(returning: .failure(.busy))
          return nil
        }
        state.numbers += 1
        state.lookUps[host] = LookUp(number: state.numbers, waiters: [continuation])
        return state.numbers
      }
      if let begun { lookUp(host, begun) }
    }
    return try answer.get()
  }

  /// Puts an address that could not be reached behind the others.
  func demote(_ address: IPAddress, of host: String) {
    state.withLock { state in
      guard let page = state.pages[host], case .success(var addresses) = page.answer,
        let place = addresses.firstIndex(of: address)
      else { return }
      addresses.append(addresses.remove(at: place))
      state.pages[host]?.answer = .success(addresses)
    }
  }

  private func lookUp(_ host: String, _ number: UInt64) {
    let limit = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(settings.lookUpTimeout)) {
      self.timedOut(host, number)
    }
    resolver.resolve(host) { addresses in
      limit.cancel()
      self.found(addresses, host)
    }
  }

  private func found(_ addresses: [IPAddress], _ host: String) {
    var unique: [IPAddress] = []
    for address in addresses where !unique.contains(address) { unique.append(address) }
    let isGood = (1..<Self.addressesMaximum).contains(unique.count)
    let answer: Answer = isGood ? .success(unique) : .failure(.notFound)
    let waiters = state.withLock { state in
      if state.pages.count >= Self.hostsMaximum, state.pages[host] == nil,
        let oldest = state.pages.min(by: { $0.value.until < $1.value.until })
      {
        state.pages[oldest.key] = nil
      }
      let kept = isGood ? settings.addressesKeptFor : settings.failuresKeptFor
      state.pages[host] = Page(answer: answer, until: now() + kept)
      return state.lookUps.removeValue(forKey: host)?.waiters ?? []
    }
    for waiter in waiters { waiter.resume(returning: answer) }
  }

  private func timedOut(_ host: String, _ number: UInt64) {
    let waiters: [CheckedContinuation<Answer, Never>] = state.withLock { state in
      guard state.lookUps[host]?.number == number, let waiters = state.lookUps[host]?.waiters else { return [] }
      state.lookUps[host]?.hasTimedOut = true
      state.lookUps[host]?.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: .failure(.timedOut)) }
  }
}
