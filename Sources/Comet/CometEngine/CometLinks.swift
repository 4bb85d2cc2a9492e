import EngineKit
import EventSourcing

extension SubjectLinks {
  /// Only what the subject itself names leads on from a session: who merely listened to a chat of the customer, with its
  /// service id, may be somebody else.
  static let comet = SubjectLinks(collect: { scope, key, tag, payload in
    var isNamed = scope.isSubject(key)
    var opened: (userKey: String?, serviceID: String?)
    if case .opened(let userKey, let serviceID, _, let browserID)? = decode(tag, payload) as CometRecord.Event? {
      isNamed = [key, userKey, serviceID, browserID].contains { scope.isSubject($0) }
      opened = (userKey, serviceID)
    }
    scope.note(.cometSession, key) { trace in
      trace.brings = .ifNamed
      if isNamed { trace.isNamed = true }
      if let userKey = opened.userKey, !userKey.isEmpty { trace.owners.insert(userKey) }
      guard let serviceID = opened.serviceID else { return }
      trace.follows.insert(EntityID(.chatSession, serviceID))
      trace.leads.insert(EntityID(.chatSession, serviceID))
    }
  })
}
