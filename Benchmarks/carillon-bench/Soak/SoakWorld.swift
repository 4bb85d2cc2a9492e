import CarillonClient
import Synchronization

/// What all who take part in a soak share.
final class SoakWorld: Sendable {
  let settings: SoakSettings
  let plan: SoakPlan
  let server: SoakServer
  let receiver: WebhookReceiver
  let providers: FailingProviders
  let tally = SoakTally()
  /// The pause after something went wrong, so that nobody spins while the server is away.
  static let pause = Duration.milliseconds(20)

  private let isOverFlag = Atomic(false)

  init(_ settings: SoakSettings, _ server: SoakServer, _ receiver: WebhookReceiver, _ providers: FailingProviders) {
    (self.settings, self.server, self.receiver, self.providers) = (settings, server, receiver, providers)
    plan = SoakPlan(settings)
  }

  /// No new load: what is under way comes to its end.
  var isOver: Bool { isOverFlag.load(ordering: .relaxed) }
  func end() { isOverFlag.store(true, ordering: .relaxed) }

  /// Sleeps, but no longer than the soak lasts.
  func sleep(_ duration: Duration) async {
    let deadline = ContinuousClock.now + duration
    while !isOver, ContinuousClock.now < deadline {
      try? await Task.sleep(for: min(deadline - .now, .milliseconds(100)))
    }
  }

  /// A source of chance that belongs to one who takes part.
  func random(_ stream: Int) -> SplitMix64 {
    var seeds = SplitMix64(seed: settings.seed &+ UInt64(stream) &* 0x9E37_79B9)
    return SplitMix64(seed: seeds.next())
  }
}
