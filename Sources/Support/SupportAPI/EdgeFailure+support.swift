import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope
import StorageAPI
import StorageEngine
import SupportDomain
package import SupportEngine

extension SupportFailure: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension SupportIdentityFailure: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

/// The one place where support's refusals become HTTP statuses.
extension EdgeFailure {
  init(_ failure: SupportFailure) {
    switch failure {
    case .unknownApp: self = .forbidden("No app of this client id is configured", error: "unknown_client")
    case .identityMismatch:
      self = .forbidden("The app is configured for the other kind of identity", error: "identity_type_mismatch")
    case .agentEmail: self = .forbidden("An agent is no end user", error: "agent_identity")
    case .replayed: self = .forbidden("The token was used before", error: "invalid_identity")
    case .notFound: self.init(.notFound, "Not found", exception: "NotFoundException")
    case .invalid(let field, let reason): self = .unusableRecord(field, reason)
    case .missing(let field): self = .unusableRecord(field, "cannot be blank")
    case .request(let rejection): self.init(rejection)
    case .tooLarge(let limit): self = .bodyTooLarge(limit: limit)
    case .quota(let what, let limit, let holder): self = StorageFailure.quota(what, limit: limit, of: holder).failure
    case .limitReached(let what): self = .unavailable("A limit of this server is reached: \(what)")
    case .unavailable: self = .unavailable("The server is not ready")
    case .storageFull: self.init(EngineError.storageFull)
    }
  }

  init(_ rejection: SupportRequestRejection) {
    switch rejection {
    case .unknown: self.init(SupportFailure.notFound)
    case .closed: self = .unusableRecord("status", "closed prevents any update")
    case .tooManyComments(let limit): self = .unusableRecord("comment", "there are \(limit) already")
    case .tooManyFields(let limit): self = .unusableRecord("custom_fields", "there may be at most \(limit)")
    case .notAllowed(let field): self = .unusableRecord(field, "can be changed by agents only")
    case .tooManyOwed: self = .unavailable("Too much waits to be sent for this request")
    }
  }

  init(_ failure: SupportIdentityFailure) {
    switch failure {
    case .unreachable(let seconds):
      self = .unavailable("The app's back end cannot be asked who this is")
      if let seconds { retryAfter = seconds }
    case .refused: self = .forbidden("The app's back end does not vouch for this user", error: "invalid_identity")
    }
  }

  /// The bearer opens nothing, or there is none.
  static let unknownSupportIdentity: EdgeFailure = {
    var failure = tokenRequired
    failure.problem = EdgeProblem(error: "Couldn't authenticate you")
    return failure
  }()

  static func unusableRecord(_ field: String, _ reason: String) -> EdgeFailure {
    var failure = EdgeFailure(
      .unprocessableContent, "Parameter '\(field)' \(reason)", exception: "InvalidParameterException",
      phrase: "BAD_PARAMETER")
    failure.problem = EdgeProblem(field: field, reason: reason)
    return failure
  }

  static func tooMany(_ what: String, limit: Int) -> EdgeFailure {
    var failure = EdgeFailure(
      .unprocessableContent, "at most \(limit) \(what)", exception: "LimitException", phrase: "BAD_PARAMETER")
    failure.problem = EdgeProblem(error: "too_many", limit: limit)
    return failure
  }

  static func tooManyCalls(retryAfter seconds: Int) -> EdgeFailure {
    var failure = EdgeFailure(.tooManyRequests, "Too many calls", exception: "LimitException")
    failure.retryAfter = seconds
    return failure
  }

  private static func forbidden(_ reason: String, error: String) -> EdgeFailure {
    var failure = EdgeFailure.forbidden(reason)
    failure.problem = EdgeProblem(error: error)
    return failure
  }
}

extension EdgeFailure {
  /// The body in the dialect of support. Spec: support requests 8.
  package var supportBody: [UInt8] {
    JSONWriter.object(capacity: 160) { body in
      body.member("error", problem?.error ?? errorOfStatus)
      if let field = problem?.field, let reason = problem?.reason {
        body.member("description", "Record validation errors")
        body.object("details") { details in
          details.member(named: field) { $0.objects([reason]) { $1.member("description", $0) } }
        }
      } else if status != .unauthorized {
        body.member("description", status == .notFound ? "Not found" : message)
      }
      body.member("limit", ifPresent: problem?.limit)
    }
  }

  /// Spec: support requests 8; the others are named as HTTP names them.
  private var errorOfStatus: String {
    switch status {
    case .unprocessableContent: "RecordInvalid"
    case .notFound: "RecordNotFound"
    default: status.reasonPhrase.filter { $0 != " " }
    }
  }
}
