import PushDomain
import Synchronization

/// Who owes which pushes: a producer's name is a prefix and the key of an entity, which is told once its push is in the
/// queue of its device. A chat's has no prefix.
final class PushProducers: Sendable {
  typealias HandedOver = @Sendable (_ key: String, _ number: Int) async -> Void
  /// Why a push is not to go out any more; nil if it may.
  typealias Objection = @Sendable (PushMessage) async -> String?
  typealias Subscriptions = @Sendable (_ id: String) async -> SubscriptionTerms?
  typealias Gone = @Sendable (_ queue: String, _ reason: String) async -> Void

  private let handlers = Mutex<[String: HandedOver]>([:])
  private let objections = Mutex<[String: Objection]>([:])
  private let listeners = Mutex<[Gone]>([])
  private let subscriptions = Mutex<Subscriptions?>(nil)

  /// - Parameter prefix: such as `callback/`; must end with the first slash of the producer's name.
  func register(_ prefix: String, _ handler: @escaping HandedOver) {
    handlers.withLock { $0[prefix] = handler }
  }

  /// Who knows more of addresses than their queues do is asked each time that an attempt has begun: a kill, or another's
  /// haste, may have kept a queue from knowing.
  func register(_ prefix: String, objection: @escaping Objection) {
    objections.withLock { $0[prefix] = objection }
  }

  func register(subscriptions: @escaping Subscriptions) { self.subscriptions.withLock { $0 = subscriptions } }

  /// The terms of a subscription; nil for one that is over.
  func subscription(_ id: String) async -> SubscriptionTerms? {
    guard let subscriptions = subscriptions.withLock({ $0 }) else { return nil }
    return await subscriptions(id)
  }

  func objection(to message: PushMessage) async -> String? {
    guard let slash = message.producer.firstIndex(of: "/") else { return nil }
    let prefix = String(message.producer[...slash])
    guard let objection = objections.withLock({ $0[prefix] }) else { return nil }
    return await objection(message)
  }

  /// Who keeps addresses beside the registry of devices is told when a provider says that one is gone.
  func whenGone(_ listener: @escaping Gone) { listeners.withLock { $0.append(listener) } }

  func gone(_ queue: String, reason: String) async {
    for listener in listeners.withLock({ $0 }) { await listener(queue, reason) }
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
