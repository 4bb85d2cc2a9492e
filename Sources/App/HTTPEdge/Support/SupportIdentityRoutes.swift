import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain

/// Who an end user is, and what an app is told of itself. Spec: support requests 2, 8.
///
/// | | |
/// |---|---|
/// | `POST /access/sdk/anonymous` `{"user":{"sdk_guid","name","email"}}` | an access token |
/// | `POST /access/sdk/jwt` `{"user":{"token"}}` | the same, if the app's back end vouches |
/// | `GET /api/private/mobile_sdk/settings/{appId}` | what is switched on |
/// | `GET /api/v2/users/me` | who the bearer is |
struct SupportIdentityRoutes {
  let engine: Engine
  let access: SupportAccess
  let limits: EdgeLimits
  let verifyIdentity: SupportIdentityVerifier

  func add(to router: EdgeRoutes) {
    router.resource("/access/sdk/anonymous", [.post: { request, _ in try await signInAnonymously(request) }])
    router.resource("/access/sdk/jwt", [.post: { request, _ in try await signIn(request) }])
    router.resource(
      "/api/private/mobile_sdk/settings/:appId",
      [
        .get: { request, context in
          try access.checkApp(request)
          let id = PathText.decode(try context.parameters.require("appId"))
          guard let app = id.flatMap({ engine.support.app(id: $0) }) else { throw SupportFailure.notFound }
          return .conditional(request) {
            Self.write(app, limits, language: request.headers[.acceptLanguage], into: &$0)
          }
        }
      ])
    router.resource(
      "/api/v2/users/me",
      [
        .get: { request, _ in
          let actor = try await access.actor(request)
          guard let user = await engine.support.users([actor.number], for: actor.role).first else {
            throw SupportFailure.notFound
          }
          return .conditional(request) { writer in
            writer.beginObject()
            writer.key("user")
            SupportRendering.user(user, into: &writer)
            writer.endObject()
          }
        }
      ])
  }

  // MARK: Signing in

  private func signInAnonymously(_ request: Request) async throws -> Response {
    let app = try access.app(request)
    let user = try await SupportForm(request, limits: limits).object("user")
    guard app.identity == .anonymous else { throw SupportFailure.identityMismatch }
    let guid = try user.text("sdk_guid")
    guard guid.utf8.count <= EdgeLimits.supportGUIDBytesMaximum else {
      throw SupportFailure.invalid(
        field: "user.sdk_guid", reason: "is longer than \(EdgeLimits.supportGUIDBytesMaximum) bytes")
    }
    let email = try user.optionalText("email")?.trimmed
    if let email, try access.isAgent(email: email) { throw SupportFailure.agentEmail }
    let secret = try await engine.support.signIn(
      anonymous: guid, name: try user.optionalText("name"), email: email, app: app.clientID)
    return Self.answer(secret)
  }

  private func signIn(_ request: Request) async throws -> Response {
    let app = try access.app(request)
    let user = try await SupportForm(request, limits: limits).object("user")
    guard app.identity == .jwt else { throw SupportFailure.identityMismatch }
    let token = try user.text("token")
    guard token.utf8.count <= EdgeLimits.supportUserTokenBytesMaximum else {
      throw SupportFailure.invalid(
        field: "user.token", reason: "is longer than \(EdgeLimits.supportUserTokenBytesMaximum) bytes")
    }
    let identity = try await verifyIdentity(app, token)
    let email = identity.email.trimmed
    if try access.isAgent(email: email) { throw SupportFailure.agentEmail }
    let secret = try await engine.support.signIn(
      externalID: identity.externalID, name: identity.name, email: email, tokenID: identity.tokenID,
      app: app.clientID)
    return Self.answer(secret)
  }

  private static func answer(_ secret: String) -> Response {
    .json { writer in
      writer.beginObject()
      writer.key("authentication")
      writer.beginObject()
      writer.member("access_token", secret)
      writer.endObject()
      writer.endObject()
    }
  }

  // MARK: Settings

  /// - Parameter language: the header `Accept-Language`; of it the first one counts.
  private static func write(
    _ app: SupportAppSettings, _ limits: EdgeLimits, language: String?, into writer: inout JSONWriter
  ) {
    let locale = language?.prefix { $0 != "," && $0 != ";" }.lowercased() ?? "en"
    writer.raw(
      JSONValue.object([
        ("locale", .string(locale)),
        ("core", ["authentication": .string(app.identity.rawValue), "client_id": .string(app.clientID)]),
        (
          "support",
          [
            "conversations": ["enabled": .bool(app.hasConversations)],
            "attachments": [
              "enabled": .bool(app.hasAttachments),
              "max_attachment_size": .integer(Int64(limits.storageBodyBytesMaximum)),
            ],
            "contact_us": ["tags": []], "ticket_forms": ["available": false], "never_request_email": true,
            "show_closed_requests": true,
            "push_notifications": [
              "enabled": .bool(app.integration != nil),
              "integration": app.integration.map { .string($0.name) } ?? .null,
            ],
          ]
        ),
      ]).text)
  }
}
