import CarillonConfiguration
import CoreMetrics
import Engine
import PrometheusMetrics
import Synchronization

/// Brings the figures of the process up to date.
final class ProcessReport: Sendable {
  private let cpu = FloatingPointCounter(label: ProcessMetricKeys.keys.cpu.label)
  private let residentMemory = Gauge(ProcessMetricKeys.keys.residentMemory)
  private let openFiles = Gauge(ProcessMetricKeys.keys.openFiles)
  private let openFilesMaximum = Gauge(ProcessMetricKeys.keys.openFilesMaximum)
  private let start = Gauge(ProcessMetricKeys.keys.start)
  /// The processor time that is counted already, in seconds: of two scrapes at a time only one counts what is new.
  private let counted = Mutex(0.0)

  init() {
    Gauge(ProcessMetricKeys.keys.build, dimensions: [("version", Version.current), ("compiler", Self.compiler)]).record(
      1)
  }

  func report() {
    guard let figures = ProcessFigures.current() else { return }
    counted.withLock { counted in
      cpu.increment(by: figures.cpuSeconds - counted)
      counted = max(counted, figures.cpuSeconds)
    }
    residentMemory.record(figures.residentBytes)
    openFiles.record(figures.openFiles)
    openFilesMaximum.record(figures.openFilesMaximum)
    start.record(figures.startSeconds)
  }

  private static var compiler: String {
    #if compiler(>=6.4)
      "swift >= 6.4"
    #elseif compiler(>=6.3)
      "swift 6.3"
    #else
      "swift 6.2"
    #endif
  }
}
