import Engine
import Logging
import SystemPackage

/// An engine on the directory that a server will be started in, or that is measured by itself.
final class MessagingEngine: Sendable {
  let engine: Engine
  private let running: Task<Void, Never>

  private init(_ directory: WorkDirectory) {
    let engine = Engine(
      configuration: EngineConfiguration(dataDirectory: FilePath(directory.path + "/data")), providers: { _ in nil },
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      onFatal: { Terminal.note("the engine failed: \($0)") })
    self.engine = engine
    running = Task { await engine.run() }
  }

  /// Runs `work` with an engine that has recovered, and stops it, however that ends.
  static func during<Result>(
    in directory: WorkDirectory, _ work: (Engine) async throws -> Result
  ) async throws -> Result {
    let world = MessagingEngine(directory)
    do {
      _ = try await world.engine.recover()
      let result = try await work(world.engine)
      await world.stop()
      return result
    } catch {
      await world.stop()
      throw error
    }
  }

  private func stop() async {
    await engine.stop(grace: Limits.drainTimeout)
    await running.value
  }
}
