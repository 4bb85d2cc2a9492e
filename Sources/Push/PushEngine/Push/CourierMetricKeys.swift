package import EngineKit

/// What pushes show operators: queues, lanes, and the connections of providers.
package struct CourierMetricKeys: MetricTable {
  package static let keys = CourierMetricKeys()

  package let devices = MetricKey("carillon.devices", "Registered devices, by type and whether they live.")
  package let devicesEnded = MetricKey("carillon.devices.ended", "Devices that have ended, by reason.")
  package let laneChanges = MetricKey(
    "carillon.lane.changes", "Changes of a courier lane's breaker, by what it became.")
  package let laneConnections = MetricKey("carillon.lane.connections", "Open connections to a push provider.")
  package let laneOff = MetricKey("carillon.lane.off", "1 while an endpoint is switched off after it failed too long.")
  package let laneOldest = MetricKey(
    "carillon.lane.oldest_seconds", "How long the oldest device has been waiting for its lane, in seconds.")
  package let laneOpen = MetricKey(
    "carillon.lane.open", "1 while a lane's breaker is open: nothing is sent but a probe.")
  package let laneRunning = MetricKey("carillon.lane.running", "Pushes under way in a lane.")
  package let laneStreams = MetricKey("carillon.lane.streams", "HTTP/2 streams in use on a lane's connections.")
  package let laneWaiting = MetricKey("carillon.lane.waiting", "Devices that wait for their lane.")
  package let certificateExpiry = MetricKey(
    "carillon.certificate.expiry_seconds", "Time until a provider's client certificate expires, in seconds.")
  package let tokenAge = MetricKey(
    "carillon.provider_token.age_seconds", "Age of the token that a provider is shown, in seconds.")
  package let attempts = MetricKey(
    "carillon.push.attempts", "Attempts to hand a push to its provider, by outcome and reason.")
  package let deadLetters = MetricKey("carillon.push.dead_letters", "Pushes that could not be delivered and were kept.")
  package let latency = MetricKey(
    "carillon.push.latency", "Time from the order of a push to the end of an attempt, in seconds.")
  package let oldestAge = MetricKey(
    "carillon.push.oldest_age_seconds",
    "Age of the oldest push that waits in a lane, for its next attempt too, in seconds.")
  package let pushes = MetricKey(
    "carillon.pushes",
    "Pushes that have not been delivered, by state; those that wait for their next attempt are retrying."
  )
  package let queueDepth = MetricKey(
    "carillon.push.queue_depth", "Pushes that wait in a lane, for their next attempt too, by priority.")
  package let settled = MetricKey("carillon.push.settled", "Pushes that came to their end, by outcome.")
  package let skipped = MetricKey(
    "carillon.push.skipped", "Pushes that were not made because their type is not enabled.")

  package init() {}
}
