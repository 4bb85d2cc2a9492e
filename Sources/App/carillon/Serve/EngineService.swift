import Engine
import ServiceLifecycle

/// Runs the engine until a graceful stop: then effects under way are finished and the journal is synced and closed.
struct EngineService: Service {
  let engine: Engine
  let grace: Duration
  /// Called last of all.
  let stopped: @Sendable () async -> Void

  func run() async throws {
    await withTaskGroup { group in
      group.addTask { await engine.run() }
      group.addTask {
        // Cancelled is as good as asked: what is durable is durable, the rest is closed in order.
        try? await gracefulShutdown()
        await engine.stop(grace: grace)
        await stopped()
      }
    }
  }
}
