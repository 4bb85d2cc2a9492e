import EngineKit
package import EventSourcing
package import PushDomain

extension TimelinePeople {
  /// - Parameter receiver: nil for the customer of the producer.
  package mutating func pushRequested(_ id: PushID, at time: Timestamp, for receiver: String? = nil) {
    requested(Errand(id), at: time, for: receiver)
  }

  func pushRequest(_ id: PushID) -> Timestamp? { request(Errand(id)) }

  /// Whom a push is for.
  func receiver(of id: PushID) -> String { receiver(of: Errand(id)) }

  mutating func pushEnded(_ id: PushID) { ended(Errand(id)) }
}

extension Errand {
  fileprivate init(_ id: PushID) { self.init(id.producer, id.number) }
}
