import JSONEnvelope
import NIOHTTP1
import Synchronization

/// What stands behind the sample customers' phones: takes pushes, tries out patience, or knows nobody.
final class CastPost: Sendable {
  /// The paths that pushes come to, below the receiver's address.
  static let paths = (good: "/push", shaky: "/shaky", gone: "/gone")

  /// The device ids of pushes that have arrived; of those that nobody reads in time, the newest.
  let arrived: AsyncStream<String>
  private let arrival: AsyncStream<String>.Continuation
  private let attempts = Atomic<Int>(0)

  init() {
    (arrived, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(CastLimits.pushesKept))
  }

  /// Answers a POST to its receiver.
  func judge(_ path: String, _ body: JSONValue) -> HTTPResponseStatus {
    let attempt = path == Self.paths.shaky ? attempts.wrappingAdd(1, ordering: .relaxed).newValue : 0
    let status = Self.answer(path, attempt: attempt)
    if status == .ok, let device = body["deviceId"]?.string { arrival.yield(device) }
    return status
  }

  /// - Parameter attempt: of all pushes to shaky devices together, from 1.
  static func answer(_ path: String, attempt: Int) -> HTTPResponseStatus {
    switch path {
    case paths.good: .ok
    case paths.shaky: attempt.isMultiple(of: CastLimits.shakyPasses) ? .ok : .serviceUnavailable
    default: .notFound
    }
  }
}
