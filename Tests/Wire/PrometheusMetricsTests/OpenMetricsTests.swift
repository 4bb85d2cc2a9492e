import CoreMetrics
import Metrics
import PrometheusMetrics
import Testing

@Suite("Metrics, as OpenMetrics has them")
struct OpenMetricsTests {
  @Test("families without the suffix of their samples, units, canonical buckets, an end")
  func everyKind() {
    var settings = PrometheusSettings()
    settings.timerBuckets = [0.5, 1]
    settings.help = ["push.attempts": #"Attempts "x" \ y"#, "sync": "Time, in seconds."]
    let registry = PrometheusRegistry(settings)
    Counter(label: "push.attempts", dimensions: [("type", "fcm")], factory: registry).increment(by: 3)
    FloatingPointCounter(label: "process_cpu_seconds_total", factory: registry).increment(by: 1.25)
    Gauge(label: "snapshot.bytes", factory: registry).record(7)
    Metrics.Timer(label: "sync", factory: registry).recordMilliseconds(700)
    #expect(
      registry.render(.openMetrics) == #"""
        # TYPE process_cpu_seconds counter
        # UNIT process_cpu_seconds seconds
        # HELP process_cpu_seconds process_cpu_seconds_total
        process_cpu_seconds_total 1.25
        # TYPE push_attempts counter
        # HELP push_attempts Attempts \"x\" \\ y
        push_attempts_total{type="fcm"} 3
        # TYPE snapshot_bytes gauge
        # UNIT snapshot_bytes bytes
        # HELP snapshot_bytes snapshot.bytes
        snapshot_bytes 7
        # TYPE sync_seconds histogram
        # UNIT sync_seconds seconds
        # HELP sync_seconds Time, in seconds.
        sync_seconds_bucket{le="0.5"} 0
        sync_seconds_bucket{le="1.0"} 1
        sync_seconds_bucket{le="+Inf"} 1
        sync_seconds_sum 0.7
        sync_seconds_count 1
        # EOF

        """#)
  }

  @Test(
    "is what a scraper gets that likes it no less than the text",
    arguments: [
      ([], .text), (["*/*"], .text), (["text/html,application/xhtml+xml,*/*;q=0.8"], .text),
      (["text/plain;version=0.0.4"], .text), (["application/openmetrics-text"], .openMetrics),
      (["application/openmetrics-text; version=0.0.1"], .text),
      (["application/openmetrics-text;version=1.0.0;q=0"], .text),
      (["application/openmetrics-text;version=2.0.0"], .text), (["Application/OpenMetrics-Text"], .openMetrics),
      // Prometheus 2.42.
      (
        [
          "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        ], .openMetrics
      ),
      (["application/openmetrics-text;q=0.4, text/plain;q=0.5"], .text),
      (["application/openmetrics-text;q=0.4", "text/plain;q=0.3"], .openMetrics),
      (["application/openmetrics-text;q=x"], .text), ([",;,"], .text),
    ] as [([String], PrometheusFormat)])
  func negotiation(accept: [String], format: PrometheusFormat) { #expect(PrometheusFormat(accept: accept) == format) }

  @Test("each form says which it is")
  func types() {
    #expect(PrometheusFormat.text.contentType == "text/plain; version=0.0.4; charset=utf-8")
    #expect(PrometheusFormat.openMetrics.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8")
  }
}
