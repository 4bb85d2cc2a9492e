import EngineKit
import EventSourcing
import PushDomain

extension SubjectLinks {
  static let push = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: PushEvent = decode(tag, payload) else { return }
      if !event.producers.isEmpty { scope.note(.pushQueue, key) { $0.producers.formUnion(event.producers) } }
      guard case .enqueued(let message) = event else { return }
      if let owner = message.owner { scope.note(producer: message.producer, of: owner) }
      guard scope.isSubject(message.target.deviceID),
        let producer = scope.catalogue.producing(message.producer).first,
        scope.catalogue[producer.kind]?.links?.isNamedByPushes == true
      else { return }
      scope.note(producer.kind, producer.key) { trace in
        trace.brings = .always
        trace.isNamed = true
      }
    },
    belongs: { scope, key, tag, payload in
      guard let event: PushEvent = decode(tag, payload) else { return false }
      let producers = event.producers
      if !producers.isEmpty { return producers.allSatisfy { scope.holds(producer: $0) } }
      if case .erased(let pushes, _) = event {
        return pushes.contains { scope.holds(producer: $0.id.producer) }
          || event.holdsMessages { scope.holds(producer: $0) }
      }
      // About the address as a whole: the customer's if nobody else is pushed to there.
      return scope.isOnlyTheirs(EntityID(.pushQueue, key))
    },
    concerns: { scope, key, tag, payload in
      guard let event: PushEvent = decode(tag, payload) else { return false }
      let producers = event.producers
      if !producers.isEmpty { return producers.allSatisfy { scope.holds(producer: $0) } }
      if PushEvent.isRestatement(tag) { return event.holdsMessages { scope.holds(producer: $0) } }
      return scope.ownKeys(of: .pushQueue).contains(key)
    },
    arrived: { scope, key, tag, payload in
      guard let event: PushEvent = decode(tag, payload) else { return }
      let theirs = event.producers.filter { scope.holds(producer: $0) }
      guard !theirs.isEmpty else { return }
      scope.add(.pushQueue, key)
      for producer in theirs { scope.add(producer: producer) }
    },
    about: { key, tag, payload, catalogue in
      let queue = catalogue.queueOwner(key).map { [$0] } ?? []
      guard let event: PushEvent = decode(tag, payload) else { return queue }
      return queue + event.producers.flatMap(catalogue.producing)
    })
}
