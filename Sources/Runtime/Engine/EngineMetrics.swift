import CoreMetrics
import Metrics
import PushDomain

/// The engine's metrics, looked up once.
struct EngineMetrics: Sendable {
  private let attempts = Counter(label: "carillon.push.attempts")
  private let skips = Counter(label: "carillon.push.skipped")
  private let outcomes: [String: Counter]

  init() {
    let names = ["delivered", "refused", "failed", "expired", "collapsed", "overflowed", "unregistered"]
    outcomes = Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, Counter(label: "carillon.push.settled", dimensions: [("outcome", $0)]))
      })
  }

  func attempted() { attempts.increment() }
  func skipped() { skips.increment() }
  func settled(_ outcome: FinalPushOutcome) { outcomes[outcome.name]?.increment() }
}
