import EdgeSecurity
import Logging

/// What every connection of one server shares.
final class CCSServices: Sendable {
  let backend: CCSBackend
  let configuration: CCSConfiguration
  let streamSettings: CCSStreamSettings
  /// Nil without TLS.
  let certificate: ListenerCertificate?
  let metrics = CCSMetrics()
  let logger: Logger

  var limits: CCSLimits { configuration.limits }

  /// - Throws: if the certificate cannot be read.
  init(backend: CCSBackend, configuration: CCSConfiguration, logger: Logger) throws {
    self.backend = backend
    self.configuration = configuration
    self.logger = logger
    certificate = try configuration.tls.map { try ListenerCertificate($0) }
    var settings = configuration.limits.streamSettings
    settings.domains += configuration.domains.map { $0.lowercased() }
    streamSettings = settings
  }
}
