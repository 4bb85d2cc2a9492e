import EngineKit
import EventSourcing
import StorageDomain

extension SubjectLinks {
  static let stored = SubjectLinks(collect: { scope, key, tag, payload in
    guard case .stored(_, let name, _)? = decode(tag, payload) as StorageEvent? else { return }
    var trace = SubjectTrace()
    switch name {
    case .custom(_, let user):
      trace.isNamed = scope.isSubject(user)
      trace.owners = [user]
    case .instance(let id):
      trace.isNamed = scope.isSubject(id)
      trace.follows = [EntityID(.chatSession, id), EntityID(.callback, id)]
    case .file(_, let chat):
      trace.isNamed = scope.isSubject(chat)
      trace.follows = [EntityID(.chatSession, chat)]
    case nil: trace.isNamed = scope.isSubject(key)
    }
    scope.note(.stored, key) { $0 = trace }
  })
}
