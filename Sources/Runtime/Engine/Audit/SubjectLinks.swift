import CallbackDomain
import ChatDomain
import EventSourcing
import PushDomain
import StorageDomain
import SupportDomain

/// How the records of one kind of entity name customers, and each other; the kind's `EntityCard` has it.
struct SubjectLinks: Sendable {
  typealias Payload = UnsafeRawBufferPointer

  /// Notes what a record says.
  let collect: @Sendable (_ scope: inout SubjectScope, _ key: String, EventTag, Payload) -> Void
  /// Whether a record is about the customer of a closed scope.
  let belongs: @Sendable (_ scope: SubjectScope, _ key: String, EventTag, Payload) -> Bool

  static let chat = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: ChatEvent = decode(tag, payload) else { return }
      var trace = scope.chats[key] ?? SubjectScope.ChatTrace()
      if event.mentions(subject: scope.subject) { trace.isNamed = true }
      switch event {
      case .created(_, _, _, let userKey?): if !userKey.isEmpty { trace.userKeys.insert(userKey) }
      case .started(let start):
        if let userKey = start.userKey, !userKey.isEmpty { trace.userKeys.insert(userKey) }
      case .cometSubscribed(let session, _), .cometConnected(let session, _): trace.sessions.insert(session)
      case .erased(let state):
        if let userKey = (try? ChatSession(stateBytes: state))?.userKey, !userKey.isEmpty {
          trace.userKeys.insert(userKey)
        }
      default: break
      }
      scope.chats[key] = trace
    },
    belongs: { scope, key, _, _ in scope.holds(chat: key) })

  static let comet = SubjectLinks(
    collect: { scope, key, tag, payload in
      var trace = scope.sessions[key] ?? SubjectScope.SessionTrace()
      if case .opened(let userKey, let serviceID, _, let browserID)? = decode(tag, payload) as CometRecord.Event? {
        trace.userKey = userKey.flatMap { $0.isEmpty ? nil : $0 }
        trace.serviceID = serviceID
        trace.isNamed = scope.isSubject(userKey) || scope.isSubject(serviceID) || scope.isSubject(browserID)
      }
      scope.sessions[key] = trace
    },
    belongs: { scope, key, _, _ in scope.holds(session: key) })

  static let push = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: PushEvent = decode(tag, payload) else { return }
      if !event.producers.isEmpty { scope.producers[key, default: []].formUnion(event.producers) }
      guard case .enqueued(let message) = event else { return }
      if let owner = message.owner { scope.ownersByProducer[message.producer, default: []].insert(owner) }
      // Who is told of a request is found by what they have registered; the address may be but a number.
      guard scope.isSubject(message.target.deviceID), SupportTraces.request(of: message.producer) == nil else { return }
      if let callback = SubjectScope.callback(of: message.producer) {
        scope.callbacks[callback, default: SubjectScope.CallbackTrace()].isNamed = true
      } else {
        scope.chats[message.producer, default: SubjectScope.ChatTrace()].isNamed = true
      }
    },
    belongs: { scope, key, tag, payload in
      guard let event: PushEvent = decode(tag, payload) else { return false }
      let producers = event.producers
      if !producers.isEmpty { return producers.allSatisfy { scope.holds(producer: $0) } }
      if case .erased(let pushes, _) = event {
        return pushes.contains { scope.holds(producer: $0.id.producer) }
          || event.holdsMessages(of: scope.serviceIDs.union(scope.namedProducers).union(scope.otherProducers))
      }
      // About the address as a whole: the customer's if nobody else is pushed to there.
      return scope.producers[key]?.allSatisfy { scope.holds(producer: $0) } ?? false
    })

  static let callback = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: CallbackEvent = decode(tag, payload) else { return }
      var trace = scope.callbacks[key] ?? SubjectScope.CallbackTrace()
      if event.mentions(subject: scope.subject) { trace.isNamed = true }
      if let userKey = event.userKey, !userKey.isEmpty { trace.userKeys.insert(userKey) }
      scope.callbacks[key] = trace
    },
    belongs: { scope, key, _, _ in scope.holds(callback: key) })

  static let device = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: DeviceEvent = decode(tag, payload) else { return }
      var trace = scope.devices[key] ?? SubjectScope.DeviceTrace()
      for registration in event.registrations {
        if let owner = registration.owner, !owner.isEmpty { trace.owners.insert(owner) }
      }
      if event.addresses.contains(where: { scope.isSubject($0.deviceID) }) { trace.isNamed = true }
      scope.devices[key] = trace
    },
    belongs: { scope, key, tag, payload in
      guard let event: DeviceEvent = decode(tag, payload) else { return false }
      return scope.holds(device: key, event)
    })

  static let installation = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: InstallationEvent = decode(tag, payload) else { return }
      switch event {
      case .checkedIn(let identity): scope.checkedIn(key, seed: identity.seed)
      case .erased(let state):
        scope.checkedIn(key, seed: (try? Installation(stateBytes: state))?.identity?.seed)
      case .registered, .registrationEnded, .keysSet, .topicJoined, .topicLeft:
        scope.checkedIn(key, seed: nil)
      }
    },
    belongs: { scope, key, _, _ in scope.installationKeys.contains(key) })

  static let group = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: DeviceGroupEvent = decode(tag, payload) else { return }
      scope.groups[key, default: []].formUnion(event.tokens)
    },
    belongs: { scope, key, tag, payload in
      guard let event: DeviceGroupEvent = decode(tag, payload) else { return false }
      return event.tokens.contains { scope.holds(token: $0) }
    })

  static let subscription = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard case .opened(let terms)? = decode(tag, payload) as SubscriptionEvent? else { return }
      let isNamed =
        scope.isSubject(key) || scope.isSubject(terms.subscriberID) || scope.isSubject(terms.address.deviceID)
      scope.subscriptions[key] = SubjectScope.DataTrace(
        isNamed: isNamed, userKey: terms.owner ?? terms.userKey, device: DeviceKey.of(terms.address))
    },
    belongs: { scope, key, _, _ in scope.holds(subscription: key) })

  static let stored = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard case .stored(_, let name, _)? = decode(tag, payload) as StorageEvent? else { return }
      scope.stored[key] =
        switch name {
        case .custom(_, let user): SubjectScope.DataTrace(isNamed: scope.isSubject(user), userKey: user)
        case .instance(let id): SubjectScope.DataTrace(isNamed: scope.isSubject(id), instance: id)
        case nil: SubjectScope.DataTrace(isNamed: scope.isSubject(key))
        }
    },
    belongs: { scope, key, _, _ in scope.holds(stored: key) })

  static let supportRequest = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: SupportRequestEvent = decode(tag, payload) else { return }
      var trace = scope.support.requests[key] ?? SupportTraces.RequestTrace()
      trace.isNamed = scope.isSubject(EntityID(.supportRequest, key).description)
      if let terms = event.terms {
        trace.requester = String(terms.requester)
        trace.chat = terms.transcript?.serviceID
      }
      trace.files.formUnion(event.files)
      scope.support.requests[key] = trace
    },
    belongs: { scope, key, _, _ in scope.support.requestKeys.contains(key) })

  static let supportUser = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: SupportUserEvent = decode(tag, payload) else { return }
      var trace = scope.support.users[key] ?? SupportTraces.UserTrace()
      if scope.isSubject(EntityID(.supportUser, key).description) { trace.isNamed = true }
      if let identity = event.identity {
        if case .contact = identity.key { trace.isContact = true }
        if scope.names(identity) { trace.isNamed = true }
      }
      if event.devices.contains(where: scope.names) { trace.isNamed = true }
      scope.support.users[key] = trace
    },
    belongs: { scope, key, _, _ in scope.support.userKeys.contains(key) })

  private static func decode<Event: JournaledEvent>(_ tag: EventTag, _ payload: Payload) -> Event? {
    var reader = PayloadReader(payload)
    return try? Event(tag: tag, payload: &reader)
  }
}
