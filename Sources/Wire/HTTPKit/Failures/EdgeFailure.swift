package import HTTPTypes
package import JSONEnvelope

/// An error answer: a status and the object that clients read. Spec: GMS 2.4.
package struct EdgeFailure: Error, Equatable {
  package var status: HTTPResponse.Status
  /// Shown to the user; never holds a token or a message text.
  package var message: String
  /// Read by programs.
  package var exception: String
  /// One public client tests it for `BAD_PARAMETER`.
  package var phrase: String?
  /// Members that stand in the object in place of `code`.
  package var details: JSONObject?
  /// What the dialect of support requests says beside the status.
  package var problem: EdgeProblem?
  /// Seconds (Retry-After).
  package var retryAfter: Int?
  /// The methods that the path has (Allow), for 405.
  package var allow: String?
  /// What bodies may be coded in (Accept-Encoding), for 415.
  package var acceptedCodings: String?
  /// The value of WWW-Authenticate, for 401.
  package var challenge: String?

  package init(_ status: HTTPResponse.Status, _ message: String, exception: String, phrase: String? = nil) {
    self.status = status
    self.message = message
    self.exception = exception
    self.phrase = phrase
  }

  /// The JSON body.
  package var body: [UInt8] {
    JSONWriter.object(capacity: 128) { body in
      body.member("message", message)
      body.member("exception", exception)
      body.member("phrase", ifPresent: phrase)
      if let details { body.members(of: details) } else { body.member("code", status.code) }
    }
  }

  /// The header fields that this failure adds to those of every reply.
  package var fields: HTTPFields {
    var fields = HTTPFields()
    if let retryAfter { fields[.retryAfter] = String(retryAfter) }
    if let allow { fields[.allow] = allow }
    if let acceptedCodings { fields[.acceptEncoding] = acceptedCodings }
    if let challenge { fields[.wwwAuthenticate] = challenge }
    return fields
  }
}

extension EdgeFailure {
  package static func badParameter(_ name: String, _ reason: String) -> EdgeFailure {
    EdgeFailure(
      .badRequest, "Parameter '\(name)' \(reason)", exception: "InvalidParameterException", phrase: "BAD_PARAMETER")
  }

  package static func missingParameter(_ name: String) -> EdgeFailure {
    EdgeFailure(
      .badRequest, "Mandatory parameter '\(name)' is missing", exception: "InvalidParameterException",
      phrase: "BAD_PARAMETER")
  }

  package static func malformed(_ reason: String) -> EdgeFailure {
    EdgeFailure(.badRequest, reason, exception: "MalformedRequestException")
  }

  package static let notFound = EdgeFailure(.notFound, "There is no such resource", exception: "NotFoundException")

  package static func methodNotAllowed(allow: String) -> EdgeFailure {
    var failure = EdgeFailure(
      .methodNotAllowed, "This resource takes \(allow) only", exception: "MethodNotAllowedException")
    failure.allow = allow
    return failure
  }

  package static func bodyTooLarge(limit: Int) -> EdgeFailure {
    EdgeFailure(
      .contentTooLarge, "The request body is larger than \(limit) bytes", exception: "RequestTooLargeException")
  }

  package static func unavailable(_ reason: String) -> EdgeFailure {
    var failure = EdgeFailure(.serviceUnavailable, reason, exception: "ServiceUnavailableException")
    failure.retryAfter = EdgeLimits.retryAfterSeconds
    return failure
  }

  package static let basicAuthenticationRequired: EdgeFailure = {
    var failure = EdgeFailure(.unauthorized, "Authentication is required", exception: "UnauthorizedException")
    failure.challenge = "Basic realm=\"genesys\""
    return failure
  }()

  package static let tokenRequired: EdgeFailure = {
    var failure = EdgeFailure(.unauthorized, "A valid access token is required", exception: "UnauthorizedException")
    failure.challenge = "Bearer realm=\"carillon\""
    return failure
  }()

  package static func forbidden(_ reason: String) -> EdgeFailure {
    EdgeFailure(.forbidden, reason, exception: "ForbiddenException")
  }

  package static let unexpected = EdgeFailure(
    .internalServerError, "Unexpected failure", exception: "InternalException")
}
