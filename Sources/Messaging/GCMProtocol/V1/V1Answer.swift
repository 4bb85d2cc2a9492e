import JSONEnvelope

/// An answer of FCM HTTP v1: a status and a JSON text. Spec: GCM E1, E4.
public struct V1Answer: Sendable, Equatable {
  public let status: Int
  public let body: [UInt8]

  /// - Parameters:
  ///   - project: as the path names it.
  ///   - isDryRun: the answer names no real message then.
  ///   - number: stands for the message to a device group, which has no id of its own.
  public init(_ answer: DownstreamAnswer, project: String, isDryRun: Bool, number: Int64) {
    let id: String
    switch answer {
    case .targets(let results):
      switch results.first {
      case .accepted(let accepted, _): id = accepted
      case .failed(let error): self.init(error); return
      case nil: self.init(.internalServerError); return
      }
    case .topic(.success(let accepted)): id = String(accepted)
    case .topic(.failure(let error)): self.init(error); return
    case .group(0, let failed) where !failed.isEmpty: self.init(.unavailable); return
    case .group: id = String(number)
    }
    self.init(
      200,
      body: JSONWriter.object(capacity: 128) { answer in
        answer.member("name", "projects/\(project)/messages/\(isDryRun ? "fake_message_id" : id)")
      })
  }

  public init(_ error: DownstreamError) {
    let code = V1ErrorCode(error)
    let text = code.explanation(of: error)
    let violations = code.field(of: error).map { [FieldViolation(field: $0, description: text)] } ?? []
    self.init(code.status, code.canonical, text, code: code, violations: violations)
  }

  public init(_ refusal: DownstreamRefusal) {
    let violations =
      refusal.violations.isEmpty
      ? refusal.field.map { [FieldViolation(field: $0, description: refusal.text)] } ?? [] : refusal.violations
    self.init(400, "INVALID_ARGUMENT", refusal.text, code: .invalidArgument, violations: violations)
  }

  /// No key, or a wrong one.
  public static let unauthenticated = V1Answer(
    401, "UNAUTHENTICATED",
    "Request had invalid authentication credentials. Expected OAuth 2 access token or the key of a sender.")

  /// The key is another project's.
  public static let permissionDenied = V1Answer(
    403, "PERMISSION_DENIED", "The key does not belong to this project.", code: .senderIDMismatch)

  /// Of a scripted fault, or of what has no word of its own here.
  public init(status: Int) {
    switch status {
    case 401: self = .unauthenticated
    case 403: self = .permissionDenied
    case 400: self.init(.invalidParameters)
    case 404: self.init(.notRegistered)
    case 429: self.init(.deviceMessageRateExceeded)
    case 500: self.init(.internalServerError)
    case 405: self.init(405, "INVALID_ARGUMENT", "This resource takes POST only.")
    case 413: self.init(413, "INVALID_ARGUMENT", "The request is too large.")
    case 503: self.init(.unavailable)
    default: self.init(status, status < 500 ? "INVALID_ARGUMENT" : "UNAVAILABLE", "The service says \(status).")
    }
  }

  private init(
    _ status: Int, _ canonical: String, _ message: String, code: V1ErrorCode? = nil,
    violations: [FieldViolation] = []
  ) {
    self.init(
      status,
      body: JSONWriter.object(capacity: 512) { answer in
        answer.object("error") { error in
          error.member("code", status)
          error.member("message", message)
          error.member("status", canonical)
          guard code != nil || !violations.isEmpty else { return }
          error.array("details") { details in
            if let code { Self.writeDetail(code, into: &details) }
            if !violations.isEmpty { Self.writeDetail(violations, into: &details) }
          }
        }
      })
  }

  private init(_ status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }

  private static func writeDetail(_ code: V1ErrorCode, into details: inout JSONArrayWriter) {
    details.object { detail in
      detail.member("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
      detail.member("errorCode", code.rawValue)
    }
  }

  private static func writeDetail(_ violations: [FieldViolation], into details: inout JSONArrayWriter) {
    details.object { detail in
      detail.member("@type", "type.googleapis.com/google.rpc.BadRequest")
      detail.objects("fieldViolations", violations) { violation, object in
        object.member("field", ifPresent: violation.field)
        object.member("description", violation.description)
      }
    }
  }
}
