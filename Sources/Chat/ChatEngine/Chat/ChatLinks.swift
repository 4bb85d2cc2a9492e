import ChatDomain
import EngineKit
import EventSourcing

extension SubjectLinks {
  static let chat = SubjectLinks(
    isNamedByPushes: true,
    collect: { scope, key, tag, payload in
      guard let event: ChatEvent = decode(tag, payload) else { return }
      let isNamed = event.mentions(subject: scope.isSubject) || scope.isSubject(key)
      let owner: String?
      var sessions: Set<EntityID> = []
      switch event {
      case .created(_, _, _, let userKey): owner = userKey
      case .started(let start): owner = start.userKey
      case .cometSubscribed(let session, _), .cometConnected(let session, _):
        owner = nil
        sessions = [EntityID(.cometSession, session)]
        // Even if it is in no record of its own.
        scope.note(.cometSession, session) { _ in }
      case .erased(let state): owner = (try? ChatSession(stateBytes: state))?.userKey
      default: owner = nil
      }
      scope.note(.chatSession, key) { trace in
        trace.brings = .always
        if isNamed { trace.isNamed = true }
        if let owner, !owner.isEmpty { trace.owners.insert(owner) }
        trace.leads.formUnion(sessions)
      }
    })
}
