import PushDomain
import Synchronization

/// Who owes which pushes: a producer's name is a prefix and the key of an entity, which is told once its push is in the
/// queue of its device. A chat's has no prefix.
final class PushProducers: Sendable {
  typealias HandedOver = @Sendable (_ key: String, _ number: Int) async -> Void

  private let handlers = Mutex<[String: HandedOver]>([:])

  /// - Parameter prefix: such as `callback/`; must end with the first slash of the producer's name.
  func register(_ prefix: String, _ handler: @escaping HandedOver) {
    handlers.withLock { $0[prefix] = handler }
  }

  /// - Returns: false if nobody has such a prefix.
  func handedOver(_ id: PushID) async -> Bool {
    guard let slash = id.producer.firstIndex(of: "/") else { return false }
    let rest = id.producer.index(after: slash)
    guard let handler = handlers.withLock({ $0[String(id.producer[..<rest])] }) else { return false }
    await handler(String(id.producer[rest...]), id.number)
    return true
  }
}
