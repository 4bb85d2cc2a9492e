import AuditEngine
package import HTTPKit
import HTTPTypes

extension RedactionError: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension EdgeFailure {
  init(_ error: RedactionError) {
    switch error {
    case .nothingFound: self.init(.notFound, "There is no record of this subject", exception: "NotFoundException")
    case .invalid(let field, let reason): self = .badParameter(field, reason)
    case .unavailable: self = .unavailable("The server is not ready")
    }
  }
}
