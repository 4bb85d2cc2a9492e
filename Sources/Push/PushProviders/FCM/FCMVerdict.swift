internal import EventSourcing
internal import JSONEnvelope
internal import PushDomain

/// What an answer of HTTP v1 means: the table, as a function. `errorCode` is asked first, then `status`, then the HTTP
/// code. Spec: providers 3.3.
struct FCMVerdict: Sendable, Equatable {
  /// What the lane does before it hands the outcome on.
  enum Action: Sendable, Equatable {
    case none
    /// Drop the access token, get another and send again, once; else the outcome stands.
    case renewToken
    /// The outcome is not the lane's but that of this target's platform.
    case separateTarget
  }

  /// Without a wish of the server's.
  static let quotaPause: Duration = .seconds(60)

  let outcome: PushOutcome
  let action: Action

  init(_ outcome: PushOutcome, _ action: Action = .none) {
    self.outcome = outcome
    self.action = action
  }

  /// - Parameter pause: what `retry-after` asks for.
  init(_ httpStatus: Int, _ body: [UInt8], pause: Duration?) {
    let answer = try? JSONValue(parsing: body)
    if httpStatus == 200 {
      self.init(.delivered(id: answer?["name"]?.string))
      return
    }
    let error = FCMError(httpStatus, answer?["error"])
    let text = PushText.reason(httpStatus, error.errorCode ?? error.status)
    switch error.errorCode {
    case "INVALID_ARGUMENT"?: self = Self.invalidArgument(error, text)
    case "THIRD_PARTY_AUTH_ERROR"?: self.init(.laneBroken(reason: text), .separateTarget)
    case "SENDER_ID_MISMATCH"?: self.init(.unregistered(reason: text, isSuspect: true))
    case "UNREGISTERED"?: self.init(.unregistered(reason: text))
    case "QUOTA_EXCEEDED"?: self = Self.quota(error, text, pause)
    case "INTERNAL"?, "UNAVAILABLE"?: self.init(.retryable(reason: text, after: pause))
    default: self = Self.byStatus(error, text, pause)
    }
  }

  /// Only the text tells a token that is none from a bad payload.
  private static func invalidArgument(_ error: FCMError, _ text: String) -> FCMVerdict {
    if error.hasFCMDetail, error.message.lowercased().contains("not a valid fcm registration token") {
      return FCMVerdict(.unregistered(reason: text))
    }
    let field = error.badField.map { " " + PushText.word($0) } ?? ""
    return FCMVerdict(.refused(reason: text + field))
  }

  /// The project's quota stops the lane; that of a device or a topic is this target's alone.
  private static func quota(_ error: FCMError, _ text: String, _ pause: Duration?) -> FCMVerdict {
    let pause = pause ?? quotaPause
    let words = ([error.message] + error.quotaSubjects).joined(separator: " ").lowercased()
    if words.contains("device") || words.contains("topic") {
      return FCMVerdict(.retryable(reason: text, after: pause))
    }
    return FCMVerdict(.lanePaused(reason: text, for: pause))
  }

  private static func byStatus(_ error: FCMError, _ text: String, _ pause: Duration?) -> FCMVerdict {
    switch error.effectiveStatus {
    case 400: invalidArgument(error, text)
    case 401: FCMVerdict(.laneBroken(reason: text), .renewToken)
    case 403, 404: FCMVerdict(.laneBroken(reason: text))
    case 429: quota(error, text, pause)
    // Somebody else answers under this address.
    case 300..<400: FCMVerdict(.laneBroken(reason: text))
    case 400..<500: FCMVerdict(.refused(reason: text))
    default: FCMVerdict(.retryable(reason: text, after: pause))
    }
  }
}

/// The parts of Google's error object that decide. Spec: providers 3.3.
struct FCMError: Sendable {
  static let detailsMaximum = 16
  /// `status` as HTTP says it: it goes over the HTTP code.
  static let statuses = [
    "INVALID_ARGUMENT": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNAVAILABLE": 503,
  ]

  let httpStatus: Int
  let status: String?
  let message: String
  var errorCode: String?
  var hasFCMDetail = false
  /// The first field that a `BadRequest` names.
  var badField: String?
  var quotaSubjects: [String] = []

  init(_ httpStatus: Int, _ error: JSONValue?) {
    self.httpStatus = httpStatus
    status = error?["status"]?.string
    message = error?["message"]?.string ?? ""
    for detail in (error?["details"]?.array ?? []).prefix(Self.detailsMaximum) {
      let type = detail["@type"]?.string ?? ""
      if type.hasSuffix(".FcmError") {
        hasFCMDetail = true
        errorCode = errorCode ?? detail["errorCode"]?.string
      } else if type.hasSuffix(".BadRequest") {
        badField = badField ?? detail["fieldViolations"]?[0]?["field"]?.string
      } else if type.hasSuffix(".QuotaFailure") {
        for violation in (detail["violations"]?.array ?? []).prefix(Self.detailsMaximum) {
          quotaSubjects += [violation["subject"], violation["description"]].compactMap { $0?.string }
        }
      }
    }
  }

  var effectiveStatus: Int { status.flatMap { Self.statuses[$0] } ?? httpStatus }
}
