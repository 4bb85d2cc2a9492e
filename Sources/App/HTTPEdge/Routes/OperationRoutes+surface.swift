import HTTPTypes
import JSONEnvelope

/// For operators and orchestrators.
extension OperationRoutes {
  static let surface = RoutedSurface<OperationRoutes>(
    "operation", "Whether the server is well, what it counts, and this description.",
    [
      Operation(
        .get, "/health/live", "isLive", "Whether the process runs", access: .open, answers: [status("It does.")]
      ) { _, _, _ in live },
      Operation(
        .get, "/health/ready", "isReady", "Whether the server takes requests",
        about: "507 while the disk is full: changes are refused, reads and held polls go on.", access: .open,
        answers: [status("It does.")], failures: [507]
      ) { routes, _, _ in try routes.ready() },
      Operation(
        .get, "/metrics", "getMetrics", "What it counts",
        about: "404 where `metrics.port` gives it a port of its own.", access: .open,
        answers: [
          APIAnswer(
            200, "In Prometheus' text format, or as OpenMetrics for whoever asks for that in `Accept`.",
            [("text/plain", .text), ("application/openmetrics-text", .text)], headers: [.required("Vary")])
        ], failures: [404]
      ) { routes, request, _ in try routes.metrics(request) },
      Operation(
        .get, "/openapi.json", "getDescription", "This description", access: .open,
        answers: [
          .json(200, "OpenAPI 3.1.", APISchema(["type": "object"]), headers: [.required("ETag")]),
          APIAnswer(304, "It is what `If-None-Match` names.", headers: [.required("ETag")]),
        ]
      ) { routes, request, _ in routes.document.answer(request) },
    ],
    schemas: [("Status", .object([.required("status", .oneOf("live", "ready"))]))])

  private static func status(_ about: String) -> APIAnswer { .json(200, about, .named("Status")) }
}
