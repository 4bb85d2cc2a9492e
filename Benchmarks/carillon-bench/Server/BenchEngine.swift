import Engine
import Logging
import PushDomain
import SystemPackage

/// An engine of this process on a real journal: a server without its edge.
final class BenchEngine: Sendable {
  let engine: Engine
  private let running: Task<Void, Never>

  /// Nothing is read yet.
  /// - Parameters:
  ///   - keepsHouse: false: the run says itself when the house is kept, not in the middle of what it measures.
  init(
    in directory: WorkDirectory, _ sections: [String: [String: String]] = [:], keepsHouse: Bool = true,
    providers: @escaping ProviderLookUp = { _ in nil }
  ) {
    var configuration = EngineConfiguration(dataDirectory: FilePath(directory.path + "/data"))
    configuration.options = Options(sections: sections)
    if !keepsHouse {
      configuration.housekeeping.sleepAfter = nil
      configuration.housekeeping.snapshotInterval = nil
    }
    let engine = Engine(
      configuration: configuration, providers: providers,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      onFatal: { Terminal.note("the engine failed: \($0)") })
    self.engine = engine
    running = Task { await engine.run() }
  }

  /// Recovers, runs `work`, and stops, however that ends.
  func during<Result>(_ work: (Engine) async throws -> Result) async throws -> Result {
    do {
      _ = try await engine.recover()
      let result = try await work(engine)
      await stop()
      return result
    } catch {
      await stop()
      throw error
    }
  }

  private func stop() async {
    await engine.stop(grace: Limits.drainTimeout)
    await running.value
  }
}
