package import PushDomain
import Synchronization

/// Who owes pushes: the entities of some capability. It is known by what stands before their keys in the names of the
/// pushes' producers.
package protocol PushProducer: Sendable {
  /// Ends with the first slash of the producers' names; empty for those whose names have none.
  static var prefix: String { get }
  /// The queue of its device has it: the entity owes it no longer. - Parameter key: of the entity.
  func accepted(_ key: String, _ number: Int) async
  /// The queue is done with it. A hint: a kill may keep it back.
  func settled(_ key: String, _ number: Int, _ outcome: FinalPushOutcome) async
  /// Why a push is not to go out any more; nil if it may. Who knows more of addresses than their queues do is asked each
  /// time that an attempt has begun: a kill, or another's haste, may have kept a queue from knowing.
  func objection(to message: PushMessage) async -> String?
  /// A provider says that an address is gone. - Parameter queue: the key of its queue.
  func addressGone(_ queue: String, reason: String) async
}

extension PushProducer {
  package func settled(_ key: String, _ number: Int, _ outcome: FinalPushOutcome) async {}
  package func objection(to message: PushMessage) async -> String? { nil }
  package func addressGone(_ queue: String, reason: String) async {}
}

/// All producers of pushes.
package final class PushProducers: Sendable {
  package typealias Subscriptions = @Sendable (_ id: String) async -> SubscriptionTerms?

  private let producers = Mutex<[String: any PushProducer]>([:])
  private let subscriptions = Mutex<Subscriptions?>(nil)

  package func register(_ producer: some PushProducer) {
    let prefix = type(of: producer).prefix
    producers.withLock {
      precondition($0.updateValue(producer, forKey: prefix) == nil, "two producers of pushes are called \(prefix)")
    }
  }

  /// Who knows the terms of a subscription; nil for one that is over.
  package func register(subscriptions: @escaping Subscriptions) { self.subscriptions.withLock { $0 = subscriptions } }

  package func subscription(_ id: String) async -> SubscriptionTerms? {
    guard let subscriptions = subscriptions.withLock({ $0 }) else { return nil }
    return await subscriptions(id)
  }

  func objection(to message: PushMessage) async -> String? {
    await find(message.producer)?.producer.objection(to: message)
  }

  func addressGone(_ queue: String, reason: String) async {
    for (_, producer) in producers.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      await producer.addressGone(queue, reason: reason)
    }
  }

  package func accepted(_ id: PushID) async {
    guard let (producer, key) = find(id.producer) else { return }
    await producer.accepted(key, id.number)
  }

  func settled(_ id: PushID, _ outcome: FinalPushOutcome) async {
    guard let (producer, key) = find(id.producer) else { return }
    await producer.settled(key, id.number, outcome)
  }

  /// The producer of this name, and the key of its entity.
  private func find(_ name: String) -> (producer: any PushProducer, key: String)? {
    let start = name.firstIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    return producers.withLock { $0[String(name[..<start])] }.map { ($0, String(name[start...])) }
  }
}
