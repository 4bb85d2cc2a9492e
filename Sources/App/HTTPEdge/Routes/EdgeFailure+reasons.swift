import CallbackDomain
import ChatDomain
import Engine
import HTTPTypes

/// Why a capability refuses, as HTTP has it.
protocol EdgeRefusal {
  var failure: EdgeFailure { get }
}

extension ChatRejection: EdgeRefusal {
  var failure: EdgeFailure { EdgeFailure(self) }
}

extension CallbackRejection: EdgeRefusal {
  var failure: EdgeFailure { EdgeFailure(self) }
}

extension NoSlot: EdgeRefusal {
  var failure: EdgeFailure {
    var failure = EdgeFailure(
      .badRequest, "The requested time is not available", exception: "SlotUnavailableException")
    failure.alternatives = alternatives
    return failure
  }
}

/// The one place where refusals of the inner rooms become HTTP statuses. Spec: GMS 2.4.
extension EdgeFailure {
  init(_ error: EngineError) {
    switch error {
    case .unknownServiceName:
      self.init(.notFound, "There is no service of this name", exception: "ServiceNotFoundException")
    case .refused(let refusal): self = (refusal as? any EdgeRefusal)?.failure ?? .unexpected
    case .missing(let field): self = .missingParameter(field)
    case .unknownDevice: self.init(.notFound, "There is no such device", exception: "DeviceNotFoundException")
    case .unknownDeadLetter: self.init(.notFound, "There is no such dead letter", exception: "NotFoundException")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    case .limitReached(let what): self = .unavailable("A limit of this server is reached: \(what)")
    case .unavailable: self = .unavailable("The server is not ready")
    case .storageFull:
      self.init(
        HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "The server's storage is full",
        exception: "InsufficientStorageException")
    }
  }

  init(_ error: RedactionError) {
    switch error {
    case .nothingFound: self.init(.notFound, "There is no record of this subject", exception: "NotFoundException")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    case .unavailable: self = .unavailable("The server is not ready")
    }
  }

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
    case .alreadyJoined: self.init(.conflict, "You are in this chat already", exception: "AlreadyJoinedException")
    case .empty(let field): self = .missingParameter(field)
    case .tooLong(let field, let limit):
      self = .badParameter(field, "is longer than \(limit) bytes")
      if field == "message" || field == "text" { status = .contentTooLarge }
    case .limitReached(let what): self = .unavailable("A limit of this chat is reached: \(what)")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    }
  }

  init(_ rejection: CallbackRejection) {
    switch rejection {
    case .unknown: self.init(.notFound, "There is no such callback", exception: "CallbackNotFoundException")
    case .exists: self.init(.conflict, "This callback exists already", exception: "CallbackExistsException")
    case .finished: self.init(.badRequest, "The callback is over", exception: "CallbackEndedException")
    case .wrongState(let status):
      self.init(.conflict, "The callback is \(status.name)", exception: "CallbackStateException")
    case .notYours: self.init(.conflict, "The callback is not yours", exception: "CallbackStateException")
    case .tooLong(let field, let limit): self = .badParameter(field, "is longer than \(limit) bytes")
    case .tooManyFields(let limit): self = .malformed("The callback would have more than \(limit) fields")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    }
  }

  init(_ failure: ParameterFailure) {
    switch failure {
    case .invalidText(let field): self = .badParameter(field, "is not valid UTF-8 or percent-encoding")
    case .fileNotTaken(let field): self = .badParameter(field, "is a file, which is not taken here")
    case .tooManyParameters(let limit): self = .malformed("The request has more than \(limit) parameters")
    case .malformedJSON(let reason): self = .malformed("The body is not a JSON object: \(reason)")
    case .malformedMultipart(let reason): self = .malformed("The body is not multipart/form-data: \(reason)")
    case .unsupportedContentType(let type):
      self.init(
        .unsupportedMediaType, "The content type '\(type)' cannot be used here",
        exception: "UnsupportedMediaTypeException")
    }
  }
}
