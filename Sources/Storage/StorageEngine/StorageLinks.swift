import EngineKit
import EventSourcing
import StorageDomain

extension SubjectLinks {
  static let stored = SubjectLinks(collect: { scope, key, tag, payload in
    guard case .stored(_, let name, _)? = decode(tag, payload) as StorageEvent? else { return }
    var owner: String?
    var follows: Set<EntityID> = []
    let isNamed: Bool
    switch name {
    case .custom(_, let user):
      isNamed = scope.isSubject(user)
      owner = user
    case .instance(let id):
      isNamed = scope.isSubject(id)
      follows = [EntityID(.chatSession, id), EntityID(.callback, id)]
    case .file(_, let chat):
      isNamed = scope.isSubject(chat)
      follows = [EntityID(.chatSession, chat)]
    case nil: isNamed = scope.isSubject(key)
    }
    scope.note(.stored, key) { trace in
      if isNamed { trace.isNamed = true }
      if let owner { trace.owners.insert(owner) }
      trace.follows.formUnion(follows)
    }
  })
}
