import EngineKit

/// What support shows operators.
struct SupportMetricKeys: MetricTable {
  static let keys = SupportMetricKeys()

  let comments = MetricKey(
    "carillon.support.comments", "Comments on support requests, by who wrote them and whether they are public.")
  let devices = MetricKey("carillon.support.devices", "Live devices of support users, by app and kind of address.")
  let devicesEnded = MetricKey("carillon.support.devices.ended", "Devices of support users that have ended, by reason.")
  let devicesStale = MetricKey(
    "carillon.support.devices.stale", "Live devices of support users that have not registered again for long.")
  let notifications = MetricKey(
    "carillon.support.notifications", "Notifications of comments, by app and what became of them.")
  let suppressed = MetricKey(
    "carillon.support.notifications.suppressed", "Notifications that were not sent, by reason.")
  let requests = MetricKey("carillon.support.requests", "Support requests, by status.")
  let created = MetricKey(
    "carillon.support.requests.created", "Support requests that were made, by where they came from.")

  init() {}
}
