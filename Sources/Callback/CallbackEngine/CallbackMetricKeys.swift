import EngineKit

/// What callbacks show operators.
struct CallbackMetricKeys: MetricTable {
  static let keys = CallbackMetricKeys()

  let free = MetricKey("carillon.agents.free", "Agents who are ready and have no callback.")
  let ready = MetricKey("carillon.agents.ready", "Agents who said that they are ready for callbacks.")
  let open = MetricKey("carillon.callbacks", "Callbacks that have not ended, by state.")
  let ended = MetricKey("carillon.callbacks.ended", "Callbacks that have ended, by reason.")
  let oldest = MetricKey(
    "carillon.callbacks.oldest_seconds", "How long the oldest callback has been waiting for an agent, in seconds.")
  let waiting = MetricKey("carillon.callbacks.waiting", "Callbacks that wait for an agent.")

  init() {}
}
