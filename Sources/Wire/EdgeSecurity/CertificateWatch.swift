import EngineKit
public import Logging
import Metrics
public import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps the certificates of the server's own ports fresh: reads them again when their files change, shows as a metric
/// when each ends, and warns in time.
public final class CertificateWatch: Service {
  /// The certificate of one port; nil without TLS, and until it is read.
  public typealias Source = @Sendable () -> ListenerCertificate?

  /// How often the files are looked at.
  static let interval = Duration.seconds(10)
  /// How long before its end a certificate is warned of, once a day.
  static let noticeSeconds = 14 * secondsOfDay
  private static let secondsOfDay = 86_400

  private struct Port: Sendable {
    let name: String
    let source: Source
  }

  private let ports: [Port]
  private let logger: Logger
  /// On which day each port was warned of last.
  private let warned = Mutex<[String: Int]>([:])
  /// Only of ports that have a certificate: an end at 0 would alarm the operator of one that has none.
  private let ends = Mutex<[String: Gauge]>([:])

  /// - Parameter ports: their names in log and metrics, and how to come by their certificates.
  public init(_ ports: [(name: String, source: Source)], logger: Logger) {
    self.ports = ports.map { Port(name: $0.name, source: $0.source) }
    self.logger = logger
  }

  /// Looks at the files again and again until the graceful shutdown.
  public func run() async throws {
    // The ports are opened about now: the second look finds all certificates.
    var pause = Duration.seconds(1)
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      look()
      let patience = pause
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: patience) }
      pause = Self.interval
    }
  }

  /// Reads all files again, changed or not: the operator says so.
  public func reload() {
    refresh(now: Self.now) { certificate throws in
      try certificate.reload()
      return true
    }
  }

  /// - Parameter now: seconds since 1970.
  func look(now: Int = now) { refresh(now: now) { certificate throws in try certificate.reloadIfChanged() } }

  private static var now: Int { Int(Date().timeIntervalSince1970) }

  /// - Parameter read: whether there is a new certificate.
  private func refresh(now: Int, _ read: (ListenerCertificate) throws -> Bool) {
    for port in ports {
      guard let certificate = port.source() else { continue }
      do {
        if try read(certificate) { logger.notice("certificate read again", metadata: ["port": "\(port.name)"]) }
      } catch {
        logger.error(
          "a certificate cannot be used, the earlier one stays",
          metadata: ["port": "\(port.name)", "reason": "\(error)"])
      }
      end(of: port.name).record(certificate.endSeconds)
      warn(of: port.name, endingAt: certificate.endSeconds, now: now)
    }
  }

  private func end(of port: String) -> Gauge {
    ends.withLock { ends in
      if let known = ends[port] { return known }
      let gauge = Gauge(PortMetricKeys.keys.certificateEnd, dimensions: [("port", port)])
      ends[port] = gauge
      return gauge
    }
  }

  private func warn(of port: String, endingAt end: Int, now: Int) {
    guard end - now < Self.noticeSeconds else { return warned.withLock { $0[port] = nil } }
    let today = now / Self.secondsOfDay
    guard warned.withLock({ $0.updateValue(today, forKey: port) != today }) else { return }
    let metadata: Logger.Metadata = [
      "port": "\(port)", "end": "\(Date(timeIntervalSince1970: Double(end)).formatted(.iso8601))",
    ]
    if end <= now {
      logger.error("a certificate has ended: clients refuse to connect", metadata: metadata)
    } else {
      logger.warning(
        "a certificate ends in \((end - now) / Self.secondsOfDay) days: once its files are renewed they are read by themselves",
        metadata: metadata)
    }
  }
}
