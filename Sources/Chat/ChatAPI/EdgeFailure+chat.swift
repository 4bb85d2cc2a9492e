import ChatDomain
package import HTTPKit
import HTTPTypes

extension ChatRejection: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension EdgeFailure {
  init(_ rejection: ChatRejection) {
    switch rejection {
    case .unknownService:
      self.init(.notFound, "There is no such service or chat", exception: "ServiceNotFoundException")
    case .alreadyStarted:
      self.init(.conflict, "This service has a live chat already", exception: "ChatExistsException")
    case .notStarted:
      self.init(.badRequest, "The chat has not been started", exception: "ChatNotStartedException")
    case .ended: self.init(.badRequest, "The chat is over", exception: "ChatEndedException")
    case .notJoined: self.init(.forbidden, "Join the chat first", exception: "ForbiddenException")
    case .taken: self.init(.conflict, "Another agent has this chat", exception: "ChatTakenException")
    case .offered:
      self.init(.conflict, "Another agent is offered this chat", exception: "ChatOfferedException")
    case .notOffered: self.init(.conflict, "This chat is not offered to you", exception: "ChatNotOfferedException")
    case .alreadyThere:
      self.init(.conflict, "That agent is in this chat already", exception: "AlreadyJoinedException")
    case .alreadyJoined: self.init(.conflict, "You are in this chat already", exception: "AlreadyJoinedException")
    case .empty(let field): self = .missingParameter(field)
    case .tooLong(let field, let limit):
      self = .badParameter(field, "is longer than \(limit) bytes")
      if field == "message" || field == "text" { status = .contentTooLarge }
    case .limitReached(let what): self = .unavailable("A limit of this chat is reached: \(what)")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    }
  }
}
