import CoreMetrics
import EngineKit
import Metrics
import Transparency

/// What operators are shown of the log that strangers can check.
struct LogMetricKeys: MetricTable {
  static let keys = LogMetricKeys()

  let newestSize = MetricKey("carillon.tlog.checkpoint_size", "Records of which the newest checkpoint speaks.")
  let publishedSize = MetricKey(
    "carillon.tlog.published_size", "Records of which the checkpoint speaks that is shown to strangers.")
  let age = MetricKey(
    "carillon.tlog.checkpoint_age_seconds", "Since a checkpoint was found up to date or made, in seconds.")
  let failures = MetricKey(
    "carillon.tlog.checkpoint_failures", "Times that no checkpoint could be made or kept, by reason.")
  let cosignatureAge = MetricKey(
    "carillon.tlog.cosignature_age_seconds", "Since a witness has cosigned last, in seconds, by witness.")
  let cosigningFailures = MetricKey(
    "carillon.tlog.cosigning_failures", "Times that a witness did not cosign, by witness and reason.")
  let alarm = MetricKey(
    "carillon.tlog.fork", "1 while a witness says that it has seen another history of this journal, by witness.")

  init() {}
}

struct LogMetrics: Sendable {
  private let newestSize = Gauge(LogMetricKeys.keys.newestSize)
  private let publishedSize = Gauge(LogMetricKeys.keys.publishedSize)
  private let age = Gauge(LogMetricKeys.keys.age)

  func note(_ book: LogBook, unixSeconds: UInt64, checkedSecondsAgo: Double?) {
    if let size = book.newest?.size { newestSize.record(size) }
    if let size = book.published?.size { publishedSize.record(size) }
    if let checkedSecondsAgo { age.record(checkedSecondsAgo) }
    for witness in book.witnesses {
      let dimensions = [("witness", witness.key.name.description)]
      Gauge(LogMetricKeys.keys.alarm, dimensions: dimensions).record(witness.failure?.isAlarm == true ? 1 : 0)
      guard let then = witness.unixSeconds else { continue }
      Gauge(LogMetricKeys.keys.cosignatureAge, dimensions: dimensions).record(unixSeconds - min(then, unixSeconds))
    }
  }

  func failed(_ obstacle: LogObstacle) {
    Counter(LogMetricKeys.keys.failures, dimensions: [("reason", obstacle.label)]).increment()
  }

  func failed(_ witness: VerifierKey, _ failure: CosigningFailure?) {
    let dimensions = [("witness", witness.name.description), ("reason", failure?.label ?? "own")]
    Counter(LogMetricKeys.keys.cosigningFailures, dimensions: dimensions).increment()
  }
}

extension CosigningFailure {
  /// For metrics.
  var label: String {
    switch self {
    case .unreachable: "unreachable"
    case .late: "late"
    case .malformed: "malformed"
    case .keyUnknown: "key_unknown"
    case .logUnknown: "log_unknown"
    case .inconsistent: "inconsistent"
    case .fork: "fork"
    case .witnessIsAhead: "witness_ahead"
    case .badConflict: "bad_conflict"
    case .tooManyConflicts: "conflicts"
    case .unexpected: "unexpected"
    case .answerTooLarge: "too_large"
    case .badAnswer: "bad_answer"
    case .foreignKey: "foreign_key"
    case .wrongSignature: "wrong_signature"
    case .wrongTime: "wrong_time"
    }
  }
}
