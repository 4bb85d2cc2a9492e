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
  package let requests = MetricKey(
    "carillon_http_requests_total",
    "Answered requests, by the template of their path (other: none that is known), method and class of status.")
  package let duration = MetricKey(
    "carillon_http_request_duration",
    "From a request's head to the beginning of its answer, in seconds, by template and method; without held polls.",
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10])
  package let accessLines = MetricKey("carillon_access_log_lines_total", "Lines that were written to the access log.")
  package let accessLinesDropped = MetricKey(
    "carillon_access_log_dropped_total",
    "Lines of the access log that were dropped because its disk was too slow, or full.")
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
