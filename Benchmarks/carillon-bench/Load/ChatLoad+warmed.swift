import CarillonClient
import NIOCore
import NIOPosix

extension ChatLoad {
  private static let warmUp = Duration.seconds(2)

  /// Opens a load, has it set up and warmed up, and closes it after `work`, however that ends.
  /// - Parameter window: messages on their way at a time while it warms up.
  static func warmed<Result>(
    _ settings: Settings, window: Int, _ work: (NIOLoopBound<ChatLoad>) async throws -> Result
  ) async throws -> Result {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let load = try await open(settings, on: loop)
    defer { loop.execute { load.value.close() } }
    try await loop.flatSubmit { load.value.setUp() }.get()
    _ = try await load.run(.closed(window: window), for: warmUp)
    return try await work(load)
  }
}

extension NIOLoopBound<ChatLoad> {
  /// A phase, from wherever it is asked for.
  func run(_ pacing: Pacing, for duration: Duration) async throws -> PhaseResult {
    try await eventLoop.flatSubmit { value.run(pacing, for: duration) }.get()
  }
}
