/// The bounds and the form of the exposed metrics.
public struct PrometheusSettings: Sendable {
  /// Series (label combinations) of one metric. Further ones count nothing and appear nowhere but in
  /// `metrics_series_rejected_total`.
  public var seriesPerMetricMaximum = 512
  /// Different metrics.
  public var metricsMaximum = 1_024
  /// Characters of a label's value that are kept.
  public var labelLengthMaximum = 128
  /// Upper bounds of the histogram buckets of timers, in seconds, and of aggregating recorders; ascending, without the
  /// last one (+Inf).
  public var timerBuckets: [Double] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ]
  public var recorderBuckets: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000, 1_000_000]
  /// Other buckets for single metrics, by the label that the program uses.
  public var buckets: [String: [Double]] = [:]
  /// The `HELP` texts, by the label that the program uses; that label itself where there is none.
  public var help: [String: String] = [:]

  public init() {}
}
