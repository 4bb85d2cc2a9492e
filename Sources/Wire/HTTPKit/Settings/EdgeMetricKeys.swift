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
  package let http2Connections = MetricKey("carillon_http2_connections", "Open HTTP connections that speak HTTP/2.")
  package let http2Streams = MetricKey(
    "carillon_http2_streams", "Open streams of HTTP/2, held polls and WebSockets included.")
  package let http2Requests = MetricKey(
    "carillon_http2_requests_total", "Requests that came over HTTP/2; they are among all others, too.")
  package let http2GivenUp = MetricKey(
    "carillon_http2_given_up_total", "Connections ended because their client broke HTTP/2 or a limit of it.")

  package init() {}
}
