package import EngineKit
import HTTPTypes
package import Logging

/// Why a capability refuses, as HTTP has it. Each says it of its own refusals: nowhere else do they become statuses.
package protocol EdgeRefusal: Error {
  var failure: EdgeFailure { get }
}

extension EngineError: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

extension ParameterFailure: EdgeRefusal {
  package var failure: EdgeFailure { EdgeFailure(self) }
}

/// Spec: GMS 2.4.
extension EdgeFailure {
  /// What a route has thrown. Only the unexpected is logged, and of that only the type: a text may hold a message.
  package init(describing error: any Error, logger: Logger) {
    switch error {
    case let failure as EdgeFailure: self = failure
    case let refusal as any EdgeRefusal: self = refusal.failure
    case is CancellationError: self = .unavailable("The request was given up")
    default:
      logger.error("a route failed", metadata: ["type": "\(type(of: error))"])
      self = .unexpected
    }
  }

  package init(_ error: EngineError) {
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

  package init(_ failure: ParameterFailure) {
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
