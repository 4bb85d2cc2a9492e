import CoreMetrics
import Metrics
import PrometheusMetrics
import Testing

@Suite("Metrics, as Prometheus reads them")
struct RenderingTests {
  var settings = PrometheusSettings()

  init() {
    settings.timerBuckets = [0.01, 0.5]
    settings.recorderBuckets = [10, 20]
  }

  @Test("nothing counted, nothing printed")
  func empty() {
    #expect(PrometheusRegistry(settings).render() == "")
    #expect(PrometheusRegistry(settings).render(.openMetrics) == "# EOF\n")
  }

  @Test("every kind of metric, line by line")
  mutating func everyKind() {
    settings.help = ["push.attempts": "Attempts, by\nprovider \\ outcome \"x\""]
    let registry = PrometheusRegistry(settings)
    Counter(label: "push.attempts", dimensions: [("type", "httpcb"), ("outcome", "delivered")], factory: registry)
      .increment(by: 3)
    Counter(label: "push.attempts", dimensions: [("type", "fcm"), ("outcome", "failed")], factory: registry).increment()
    FloatingPointCounter(label: "journal.bytes", factory: registry).increment(by: 1.25)
    let meter = Meter(label: "sessions", factory: registry)
    meter.set(12)
    meter.increment(by: 1.5)
    meter.decrement(by: 3)
    Gauge(label: "queue-depth", factory: registry).record(7)
    let batch = Recorder(label: "batch.size", dimensions: [("node", "a")], factory: registry)
    for size in [10, 11, 1_000] { batch.record(size) }
    let timer = Metrics.Timer(label: "sync", factory: registry)
    timer.recordNanoseconds(10_000_000)
    timer.recordMilliseconds(100)
    timer.recordSeconds(2)
    #expect(
      registry.render() == #"""
        # HELP batch_size batch.size
        # TYPE batch_size histogram
        batch_size_bucket{node="a",le="10"} 1
        batch_size_bucket{node="a",le="20"} 2
        batch_size_bucket{node="a",le="+Inf"} 3
        batch_size_sum{node="a"} 1021
        batch_size_count{node="a"} 3
        # HELP journal_bytes_total journal.bytes
        # TYPE journal_bytes_total counter
        journal_bytes_total 1.25
        # HELP push_attempts_total Attempts, by\nprovider \\ outcome "x"
        # TYPE push_attempts_total counter
        push_attempts_total{outcome="delivered",type="httpcb"} 3
        push_attempts_total{outcome="failed",type="fcm"} 1
        # HELP queue_depth queue-depth
        # TYPE queue_depth gauge
        queue_depth 7
        # HELP sessions sessions
        # TYPE sessions gauge
        sessions 10.5
        # HELP sync_seconds sync
        # TYPE sync_seconds histogram
        sync_seconds_bucket{le="0.01"} 1
        sync_seconds_bucket{le="0.5"} 2
        sync_seconds_bucket{le="+Inf"} 3
        sync_seconds_sum 2.11
        sync_seconds_count 3

        """#)
  }

  @Test(
    "names are made to fit, and a suffix comes once",
    arguments: [
      ("a.b-c d", "a_b_c_d_total"), ("requests_total", "requests_total"), ("requests.total", "requests_total"),
      ("9lives", "_9lives_total"), ("größe", "gr__e_total"), ("ns:x", "ns:x_total"), ("", "__total"),
    ])
  func names(label: String, name: String) {
    let registry = PrometheusRegistry(settings)
    Counter(label: label, factory: registry).increment()
    #expect(registry.render().hasSuffix("\n# TYPE \(name) counter\n\(name) 1\n"))
  }

  @Test(
    "labels are escaped, sorted, and made to fit",
    arguments: [
      ([("a", "back\\slash \"quote\" line\nend")], #"{a="back\\slash \"quote\" line\nend"}"#),
      ([("b", "2"), ("a", "1")], #"{a="1",b="2"}"#),
      ([("a-b", "1"), ("9", "2"), ("c:d", "3")], #"{_9="2",a_b="1",c_d="3"}"#),
      (
        [("le", "1"), ("__name__", "2"), ("quantile", "3")],
        #"{exported___name__="2",exported_le="1",exported_quantile="3"}"#
      ),
      ([("a", "1"), ("a", "2")], #"{a="2"}"#),
      ([("a", "}"), ("b", "")], #"{a="}",b=""}"#),
      ([("a", "ünï")], #"{a="ünï"}"#),
    ] as [([(String, String)], String)])
  func labels(dimensions: [(String, String)], text: String) {
    let registry = PrometheusRegistry(settings)
    Counter(label: "x", dimensions: dimensions, factory: registry).increment()
    #expect(registry.render().hasSuffix("\nx_total\(text) 1\n"))
  }

  @Test(
    "numbers keep the form that the format wants",
    arguments: [
      (0.0, "0"), (-2.5, "-2.5"), (1e20, "1e+20"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ] as [(Double, String)])
  func numbers(value: Double, text: String) {
    let registry = PrometheusRegistry(settings)
    Meter(label: "x", factory: registry).set(value)
    #expect(registry.render().hasSuffix("\nx \(text)\n"))
  }

  @Test("a metric of its own buckets")
  mutating func ownBuckets() {
    settings.buckets = ["push": [1]]
    let registry = PrometheusRegistry(settings)
    Metrics.Timer(label: "push", factory: registry).recordSeconds(1)
    #expect(registry.render().contains("push_seconds_bucket{le=\"1\"} 1\npush_seconds_bucket{le=\"+Inf\"} 1\n"))
  }

  @Test("a value that is no number spoils no histogram")
  func noNumber() {
    let registry = PrometheusRegistry(settings)
    let recorder = Recorder(label: "x", factory: registry)
    recorder.record(Double.nan)
    recorder.record(4)
    #expect(registry.render().hasSuffix("x_sum 4\nx_count 1\n"))
  }
}

@Suite("Metrics, kept in the registry")
struct RegistryTests {
  @Test("the same label and dimensions are one metric, in whatever order they stand")
  func identity() {
    let registry = PrometheusRegistry()
    Counter(label: "x", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
    Counter(label: "x", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment(by: 2)
    #expect(registry.render().hasSuffix("\nx_total{a=\"1\",b=\"2\"} 3\n"))
  }

  @Test("a counter never falls; resetting begins anew")
  func counter() {
    let registry = PrometheusRegistry()
    let counter = Counter(label: "x", factory: registry)
    counter.increment(by: 5)
    counter.increment(by: -3)
    #expect(registry.render().hasSuffix("\nx_total 5\n"))
    counter.reset()
    #expect(registry.render().hasSuffix("\nx_total 0\n"))
    let real = FloatingPointCounter(label: "y", factory: registry)
    real.increment(by: 0.5)
    real.reset()
    #expect(registry.render().hasSuffix("\ny_total 0\n"))
  }

  @Test("beyond the bound of series the rest counts nothing, and that is counted")
  func cardinality() {
    var settings = PrometheusSettings()
    settings.seriesPerMetricMaximum = 2
    let registry = PrometheusRegistry(settings)
    for user in ["a", "b", "c", "d"] {
      Counter(label: "x", dimensions: [("user", user)], factory: registry).increment()
    }
    Counter(label: "x", dimensions: [("user", "a")], factory: registry).increment()
    let text = registry.render()
    #expect(text.contains("x_total{user=\"a\"} 2\nx_total{user=\"b\"} 1\n# HELP metrics_series_rejected_total "))
    #expect(text.hasSuffix("\nmetrics_series_rejected_total 2\n"))
  }

  @Test("beyond the bound of metrics nothing is added")
  func metricsBound() {
    var settings = PrometheusSettings()
    settings.metricsMaximum = 1
    let registry = PrometheusRegistry(settings)
    Counter(label: "x", factory: registry).increment()
    Meter(label: "y", factory: registry).set(1)
    #expect(!registry.render().contains("y 1"))
    #expect(registry.render().hasSuffix("\nmetrics_series_rejected_total 1\n"))
  }

  @Test("a name in use for another kind is refused, not mixed")
  func kinds() {
    let registry = PrometheusRegistry()
    Counter(label: "x", factory: registry).increment()
    Meter(label: "x.total", factory: registry).set(99)
    FloatingPointCounter(label: "x", factory: registry).increment(by: 0.5)
    #expect(registry.render().contains("# TYPE x_total counter\nx_total 1\n"))
    #expect(!registry.render().contains("99"))
    #expect(registry.render().hasSuffix("\nmetrics_series_rejected_total 2\n"))
  }

  @Test("a long label value is cut")
  func labelLength() {
    var settings = PrometheusSettings()
    settings.labelLengthMaximum = 3
    let registry = PrometheusRegistry(settings)
    Counter(label: "x", dimensions: [("a", "12345")], factory: registry).increment()
    #expect(registry.render().hasSuffix("\nx_total{a=\"123\"} 1\n"))
  }

  @Test("what is destroyed is printed no more")
  func destroy() {
    let registry = PrometheusRegistry()
    let kept = Counter(label: "x", dimensions: [("a", "1")], factory: registry)
    let counter = Counter(label: "x", dimensions: [("a", "2")], factory: registry)
    let timer = Metrics.Timer(label: "t", factory: registry)
    let meter = Meter(label: "m", factory: registry)
    let recorder = Recorder(label: "r", factory: registry)
    let real = FloatingPointCounter(label: "f", factory: registry)
    kept.increment()
    counter.destroy()
    timer.destroy()
    meter.destroy()
    recorder.destroy()
    real.destroy()
    #expect(registry.render() == "# HELP x_total x\n# TYPE x_total counter\nx_total{a=\"1\"} 1\n")
  }

  @Test("nothing is lost when many count at once")
  func concurrency() async {
    let registry = PrometheusRegistry()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1_000 {
            Counter(label: "c", factory: registry).increment()
            FloatingPointCounter(label: "f", factory: registry).increment(by: 0.5)
            Metrics.Timer(label: "t", factory: registry).recordNanoseconds(1_000_000_000)
          }
        }
        group.addTask { for _ in 0..<50 { _ = registry.render() } }
      }
    }
    let text = registry.render()
    #expect(text.contains("c_total 8000\n") && text.contains("f_total 4000\n"))
    #expect(text.contains("t_seconds_sum 8000\n") && text.contains("t_seconds_count 8000\n"))
  }
}
