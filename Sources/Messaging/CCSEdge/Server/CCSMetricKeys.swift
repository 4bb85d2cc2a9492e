import EngineKit

/// What app servers' port shows operators.
struct CCSMetricKeys: MetricTable {
  static let keys = CCSMetricKeys()

  let acknowledgements = MetricKey(
    "carillon_ccs_acknowledgements_total", "Acknowledgements from app servers over XMPP, by kind.")
  let answers = MetricKey("carillon_ccs_answers_total", "Answers to app servers' messages over XMPP, by result.")
  let closes = MetricKey("carillon_ccs_closes_total", "XMPP streams that ended, by reason.")
  let connections = MetricKey("carillon_ccs_connections", "Open XMPP connections of app servers.")
  let connectionsRefused = MetricKey(
    "carillon_ccs_connections_refused_total", "XMPP connections that were refused for want of room.")
  let deliveries = MetricKey(
    "carillon_ccs_deliveries_total", "Messages of devices that were written to app servers over XMPP.")
  let logins = MetricKey("carillon_ccs_logins_total", "Logins of app servers over XMPP, by result.")
  let messages = MetricKey("carillon_ccs_messages_received_total", "Messages that came from app servers over XMPP.")

  init() {}
}
