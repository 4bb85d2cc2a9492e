package import CallbackDomain
package import CallbackEngine
import EventSourcing
package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension CallbackRejection: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension NoSlot: EdgeRefusal {
  /// Spec: GMS 9.5.
  package var failure: EdgeFailure {
    var failure = EdgeFailure(
      .badRequest, "The requested time is not available", exception: "SlotUnavailableException")
    let room = alternatives.map { ($0.start.iso8601Milliseconds, JSONValue.integer(Int64($0.free))) }
    failure.details = ["error": "SLOT_UNAVAILABLE", "availability": .object(room)]
    return failure
  }
}

extension EdgeFailure {
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
}
