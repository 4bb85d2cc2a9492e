import ChatAPI
import ChatDomain
import EngineKit
package import HTTPKit
import HTTPTypes
package import StorageEngine

extension StorageFailure: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension EdgeFailure {
  init(_ failure: StorageFailure) {
    switch failure {
    case .unknown: self.init(.notFound, "There is no such stored data", exception: "StorageNotFoundException")
    case .unknownInstance: self = ChatRejection.unknownService.failure
    case .unknownKey: self.init(.notFound, "There is no such key", exception: "StorageNotFoundException")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    case .tooLarge(let limit):
      self.init(
        .contentTooLarge, "The stored data would be larger than \(limit) bytes", exception: "RequestTooLargeException")
    case .quota(let what, let limit, let holder):
      let article = holder == .user ? "A" : "An"
      self.init(
        .tooManyRequests, "\(article) \(holder.rawValue) may have at most \(limit) \(what)",
        exception: "LimitException")
    case .full: self.init(EngineError.storageFull)
    case .limitReached(let what): self = .unavailable("A limit of this server is reached: \(what)")
    case .damaged:
      self.init(.internalServerError, "The stored file is damaged", exception: "StoredFileDamagedException")
    case .unavailable: self = .unavailable("The server is not ready")
    }
  }
}
