import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain
import SupportEngine

/// Who an end user is, and what an app is told of itself. Spec: support requests 2, 8.
///
/// | | |
/// |---|---|
/// | `POST /access/sdk/anonymous` `{"user":{"sdk_guid","name","email"}}` | an access token |
/// | `POST /access/sdk/jwt` `{"user":{"token"}}` | the same, if the app's back end vouches |
/// | `GET /api/private/mobile_sdk/settings/{appId}` | what is switched on |
/// | `GET /api/v2/users/me` | who the bearer is |
struct SupportIdentityRoutes: SupportBearerRoutes {
  let support: SupportService
  let access: SupportAccess
  let limits: EdgeLimits
  let verifyIdentity: SupportIdentityVerifier

  func whoOneIs(_ actor: SupportActor, _ request: Request) async throws -> Response {
    guard let user = await support.users([actor.number], for: actor.role).first else { throw SupportFailure.notFound }
    return .conditional(request) { answer in
      answer.object("user") { SupportRendering.user(user, into: &$0) }
    }
  }

  // MARK: Signing in

  func signInAnonymously(_ request: Request) async throws -> Response {
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
    let secret = try await support.signIn(
      anonymous: guid, name: try user.optionalText("name"), email: email, app: app.clientID)
    return Self.answer(secret)
  }

  func signIn(_ request: Request) async throws -> Response {
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
    let secret = try await support.signIn(
      externalID: identity.externalID, name: identity.name, email: email, tokenID: identity.tokenID,
      app: app.clientID)
    return Self.answer(secret)
  }

  private static func answer(_ secret: String) -> Response {
    .object { answer in answer.object("authentication") { $0.member("access_token", secret) } }
  }

  // MARK: Settings

  func settings(_ request: Request, _ context: EdgeRequestContext) throws -> Response {
    try access.checkApp(request)
    let id = PathText.decode(try context.parameters.require("appId"))
    guard let app = id.flatMap({ support.app(id: $0) }) else { throw SupportFailure.notFound }
    return .conditional(request) {
      Self.write(app, limits, language: request.headers[.acceptLanguage], into: &$0)
    }
  }

  /// - Parameter language: the header `Accept-Language`; of it the first one counts.
  private static func write(
    _ app: SupportAppSettings, _ limits: EdgeLimits, language: String?, into settings: inout JSONObjectWriter
  ) {
    settings.member("locale", language?.prefix { $0 != "," && $0 != ";" }.lowercased() ?? "en")
    settings.object("core") { core in
      core.member("authentication", app.identity.rawValue)
      core.member("client_id", app.clientID)
    }
    settings.object("support") { support in
      support.object("conversations") { $0.member("enabled", app.hasConversations) }
      support.object("attachments") { attachments in
        attachments.member("enabled", app.hasAttachments)
        attachments.member("max_attachment_size", limits.storageBodyBytesMaximum)
      }
      support.object("contact_us") { $0.array("tags") { _ in } }
      support.object("ticket_forms") { $0.member("available", false) }
      support.member("never_request_email", true)
      support.member("show_closed_requests", true)
      support.object("push_notifications") { push in
        push.member("enabled", app.integration != nil)
        push.member("integration", app.integration?.name)
      }
    }
  }
}
