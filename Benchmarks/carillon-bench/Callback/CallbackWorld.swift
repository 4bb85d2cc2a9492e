import Engine
import Logging
import SystemPackage

/// An engine that takes callbacks, on a real journal, with a courier that stands in for the phones' platforms.
final class CallbackWorld: Sendable {
  let engine: Engine
  let courier: CountingCourier
  private let running: Task<Void, Never>

  private init(_ directory: WorkDirectory) {
    var configuration = EngineConfiguration(dataDirectory: FilePath(directory.path + "/data"))
    configuration.options = Options(sections: [
      CallbackStock.section: CallbackStock.options, "push": ["pushEnabled": CountingCourier.type],
    ])
    // The runs say themselves when the house is kept: not in the middle of what they measure.
    configuration.housekeeping.sleepAfter = nil
    configuration.housekeeping.snapshotInterval = nil
    let courier = CountingCourier()
    engine = Engine(
      configuration: configuration, providers: { $0 == CountingCourier.type ? courier : nil },
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
      onFatal: { Terminal.note("the engine failed: \($0)") })
    self.courier = courier
    running = Task { [engine] in await engine.run() }
  }

  /// Runs `work` in an engine on this directory, and stops it, however that ends.
  static func during<Result>(
    in directory: WorkDirectory, _ work: (CallbackWorld) async throws -> Result
  ) async throws -> Result {
    let world = CallbackWorld(directory)
    do {
      _ = try await world.engine.recover()
      let result = try await work(world)
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

  /// Orders callbacks, many at a time; each is on the disk before its order is answered.
  func order(_ numbers: Range<Int>, _ make: @escaping @Sendable (_ number: Int) -> CallbackOrder) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<min(numbers.count, CallbackStock.ordersAtOnce) {
        group.addTask { [engine] in
          for number in stride(
            from: numbers.lowerBound + worker, to: numbers.upperBound, by: CallbackStock.ordersAtOnce)
          {
            _ = try await engine.callbacks.create(service: CallbackStock.service, make(number))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
