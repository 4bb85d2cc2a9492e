import Engine

/// An engine that takes callbacks, on a real journal, with a courier that stands in for the phones' platforms.
final class CallbackWorld: Sendable {
  private let bench: BenchEngine
  let courier: CountingCourier
  var engine: Engine { bench.engine }

  private init(_ directory: WorkDirectory) {
    let courier = CountingCourier()
    bench = BenchEngine(
      in: directory,
      [CallbackStock.section: CallbackStock.options, "push": ["pushEnabled": CountingCourier.type]], keepsHouse: false,
      providers: { $0 == CountingCourier.type ? courier : nil })
    self.courier = courier
  }

  /// Runs `work` in an engine on this directory, and stops it, however that ends.
  static func during<Result>(
    in directory: WorkDirectory, _ work: (CallbackWorld) async throws -> Result
  ) async throws -> Result {
    let world = CallbackWorld(directory)
    return try await world.bench.during { _ in try await work(world) }
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
