import Engine
import Logging
import ServiceLifecycle

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Replays the journal while the server answers already that it lives and is not ready; then waits for the stop.
struct RecoveryService: Service {
  let engine: Engine
  let logger: Logger
  /// Called once the server is ready.
  let ready: @Sendable (RecoverySummary) async -> Void

  func run() async throws {
    let summary = try await withGracefulShutdownHandler {
      try await engine.recover()
    } onGracefulShutdown: {
      // Nothing has been acknowledged yet, and whatever recovery writes survives being cut off.
      logger.notice("stopped while the journal was being read")
      exit(ExitStatus.success.rawValue)
    }
    logger.info("\(summary)")
    await ready(summary)
    try? await gracefulShutdown()
  }
}
