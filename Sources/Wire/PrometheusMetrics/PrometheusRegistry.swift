public import CoreMetrics
internal import Synchronization

/// Keeps the process's metrics and prints them for Prometheus. Spec: Prometheus text format 0.0.4; OpenMetrics 1.0.0.
///
/// Making a metric costs a look-up under a lock; counting costs an atomic addition or a short lock of the metric's own.
/// Metrics with the same label and dimensions are one.
public final class PrometheusRegistry: MetricsFactory {
  private struct Family {
    let kind: PrometheusKind
    let help: String
    /// By the rendered labels, which name a series.
    var series: [String: any PrometheusSeries] = [:]
  }

  private let settings: PrometheusSettings
  private let families = Mutex<[String: Family]>([:])
  private let rejected = PrometheusCounter()

  public init(_ settings: PrometheusSettings = PrometheusSettings()) { self.settings = settings }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(.counter, label, dimensions) { PrometheusCounter() }
  }

  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    series(.counter, label, dimensions) { PrometheusFloatingPointCounter() }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(.gauge, label, dimensions) { PrometheusGauge() }
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    guard aggregate else { return series(.gauge, label, dimensions) { PrometheusGauge() } }
    let buckets = settings.buckets[label] ?? settings.recorderBuckets
    return series(.histogram, label, dimensions) { PrometheusHistogram(buckets: buckets) }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    let buckets = settings.buckets[label] ?? settings.timerBuckets
    return series(.histogram, label, dimensions, suffix: "_seconds") { PrometheusHistogram(buckets: buckets) }
  }

  public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
  public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
  public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
  public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

  /// All metrics, sorted by name and labels, so that two scrapes can be compared line by line.
  public func render(_ format: PrometheusFormat = .text) -> String {
    // Taken out under the lock, printed outside it: a scrape holds up nobody who makes a metric.
    let families = self.families.withLock { $0 }
    var text = ""
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      text += format.head(name, family.kind, family.help)
      for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
        series.render(name, labels, format, into: &text)
      }
    }
    if rejected.value > 0 {
      let name = "metrics_series_rejected_total"
      text += format.head(
        name, .counter, "Series that were not kept: too many, or a name in use for another kind.")
      rejected.render(name, "", format, into: &text)
    }
    return text + format.end
  }

  private func series<Series: PrometheusSeries>(
    _ kind: PrometheusKind, _ label: String, _ dimensions: [(String, String)], suffix: String = "",
    make: () -> Series
  ) -> Series {
    let name = PrometheusText.name(label, suffix: kind == .counter ? "_total" : suffix)
    let labels = PrometheusText.labels(dimensions, valueLengthMaximum: settings.labelLengthMaximum)
    let kept: Series? = families.withLock { families in
      if families[name] == nil {
        guard families.count < settings.metricsMaximum else { return nil }
        families[name] = Family(kind: kind, help: settings.help[label] ?? label)
      }
      guard let family = families[name], family.kind == kind else { return nil }
      if let known = family.series[labels] { return known as? Series }
      guard family.series.count < settings.seriesPerMetricMaximum else { return nil }
      let made = make()
      families[name]?.series[labels] = made
      return made
    }
    if let kept { return kept }
    // Whoever asked must be able to count; nobody reads it.
    rejected.increment(by: 1)
    return make()
  }

  private func remove(_ handler: any AnyObject) {
    families.withLock { families in
      for (name, family) in families {
        guard let labels = family.series.first(where: { $0.value === handler })?.key else { continue }
        families[name]?.series[labels] = nil
        if families[name]?.series.isEmpty == true { families[name] = nil }
      }
    }
  }
}
