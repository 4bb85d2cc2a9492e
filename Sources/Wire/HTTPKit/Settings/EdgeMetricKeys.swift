package import EngineKit

/// What the HTTP edge shows operators.
package struct EdgeMetricKeys: MetricTable {
  package static let keys = EdgeMetricKeys()

  package let departed = MetricKey(
    "carillon_http_clients_departed_total", "Clients that left while their request was held.")
  package let connections = MetricKey("carillon_http_connections", "Open HTTP connections, WebSockets included.")
  package let connectionsRefused = MetricKey(
    "carillon_http_connections_refused_total", "HTTP connections that were refused for want of room.")
  package let heldPolls = MetricKey("carillon_http_held_polls", "Long polls that are held.")
  package let responses = MetricKey("carillon_http_responses_total", "Answers over HTTP, by class of their status.")
  package let messages = MetricKey("carillon_websocket_messages_total", "Messages on WebSockets, by direction.")

  package init() {}
}
