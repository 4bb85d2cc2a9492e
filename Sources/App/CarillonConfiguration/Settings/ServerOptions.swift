package import Engine
package import OptionKit

/// What the process as a whole is told: options of section `server`.
package struct ServerOptions: OptionTable, ServerPart {
  package static let keys = ServerOptions()

  package let host = OptionKey(
    "host", in: [.server], .text, default: "0.0.0.0", "address to listen on (loopback only until a token exists)",
    takes: .restart)
  package let port = OptionKey(
    "port", in: [.server], .integer(0...65_535), default: 8_080, "TCP port; 0 takes a free one", takes: .restart)
  package let dataDirectory = OptionKey(
    "data_directory", in: [.server], .path, default: "carillon-data", "where the journal and the tokens are",
    takes: .restart)
  package let certificate = OptionKey(
    "tls.certificate", in: [.server], .path,
    "certificate chain, PEM; with tls.key the port speaks TLS; read again on SIGHUP and when it changes",
    takes: .restart)
  package let certificateKey = OptionKey(
    "tls.key", in: [.server], .path, "private key of that certificate, PEM", takes: .restart)
  package let logLevel = OptionKey(
    "log_level", in: [.server],
    .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), default: "info",
    "least severe records that are written", takes: .reload)
  package let metricsPort = OptionKey<Int?>(
    "metrics.port", in: [.server], .integer(0...65_535),
    "TCP port of /metrics alone, which the other port then has no more; 0 takes a free one; absent: no port of its own",
    takes: .restart)
  package let metricsHost = OptionKey(
    "metrics.host", in: [.server], .text, default: "127.0.0.1",
    "address that metrics.port listens on: whoever reaches it reads the metrics", takes: .restart)

  package let accessLogFile = OptionKey<String?>(
    "access_log.file", in: [.server], .text,
    "file that a line of JSON is appended to for requests, opened again on SIGHUP; -: standard output; absent: none",
    takes: .reload)
  package let accessLogSample = OptionKey(
    "access_log.sample", in: [.server], .integer(1...1_000_000), default: 1,
    "of so many requests the access log has one", takes: .reload)

  package static var metrics: [MetricKey] { ProcessMetricKeys.metrics }

  package init() {}
}
