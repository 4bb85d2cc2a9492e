import EngineKit
import EventSourcing
import PushDomain
import PushEngine

extension SubjectLinks {
  static let subscription = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard case .opened(let terms)? = decode(tag, payload) as SubscriptionEvent? else { return }
      let isNamed = [key, terms.subscriberID, terms.address.deviceID].contains { scope.isSubject($0) }
      scope.note(.subscription, key) { trace in
        if isNamed { trace.isNamed = true }
        if let owner = terms.owner ?? terms.userKey { trace.owners.insert(owner) }
        let address = DeviceKey.of(terms.address)
        trace.addresses.insert(EntityID(.device, address))
        trace.asks.formUnion([EntityID(.device, address), EntityID(.pushQueue, address)])
      }
    },
    // An address that nobody but the customer's subscriptions has given goes with them.
    settle: { scope in
      var given: [EntityID: Bool] = [:]
      for (entity, trace) in scope.traces where entity.kind == .subscription {
        let isTheirs = scope.entities.contains(entity)
        for address in trace.addresses { given[address] = isTheirs && given[address] != false }
      }
      for (address, isTheirs) in given where isTheirs && scope.traces[address]?.owners.isEmpty == true {
        let pushed = scope.traces[EntityID(.pushQueue, address.key)]?.producers ?? []
        if pushed.allSatisfy({ scope.holds(producer: $0) }) { scope.take(address) }
      }
    })
}
