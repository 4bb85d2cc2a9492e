import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain
import SupportEngine

/// Apps and devices for the operator: JSON, with a bearer token of the role `admin`. Spec: support requests 3.4, 5.2.
///
/// | | |
/// |---|---|
/// | `GET /admin/1/support/apps` | apps, with how many devices they have; URLs are masked |
/// | `PUT /admin/1/support/apps/{client}/webhook` `{"url":…,"random":true}` | where notifications are posted |
/// | `POST /admin/1/support/apps/{client}/webhook/rotate` `{"overlap_seconds":86400}` | a new random component |
/// | `DELETE /admin/1/support/apps/{client}/webhook` | back to the configured URL |
/// | `GET /admin/1/support/users/{id}/devices` | a user's devices, ended ones too |
struct SupportAdminRoutes: TokenRoutes {
  let support: SupportService
  let tokens: TokenStore
  let limits: EdgeLimits
  /// How much one list may hold.
  let listMaximum: Int

  func setWebhook(
    _ request: Request, _ context: EdgeRequestContext, by token: AccessToken
  ) async throws -> Response {
    let form = try await SupportForm(request, limits: limits)
    let url = try form.text("url")
    return try await set(
      url, isRandom: try form.optionalBool("random") ?? false, form, Self.client(context), by: token)
  }

  func rotateWebhook(
    _ request: Request, _ context: EdgeRequestContext, by token: AccessToken
  ) async throws -> Response {
    let form = try await SupportForm(request, limits: limits)
    return try await set(nil, isRandom: true, form, Self.client(context), by: token)
  }

  func clearWebhook(_ context: EdgeRequestContext, by token: AccessToken) async throws -> Response {
    let app = try await support.clearWebhook(of: try Self.client(context), by: token.name)
    return .object { Self.write(app, whole: false, into: &$0) }
  }

  func devices(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let all = try await support.devices(of: try SupportRequestRoutes.number(context))
    let (views, link) = try query.page(of: all, by: \.id)
    return .json(adding: link) { $0.objects(views) { Self.write($0, into: &$1) } }
  }

  func list(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let (apps, link) = try query.page(of: try await support.apps(), by: \.id)
    return .json(adding: link) { $0.objects(apps) { Self.write($0, whole: false, into: &$1) } }
  }

  /// The one answer that shows the URL whole: the operator has to enter it at the receiver.
  private func set(
    _ base: String?, isRandom: Bool, _ form: SupportForm, _ client: String, by token: AccessToken
  ) async throws -> Response {
    let overlap = try form.optionalInteger("overlap_seconds", in: 0...EdgeLimits.webhookOverlap.maximum)
    let app = try await support.setWebhook(
      of: client, base: base, isRandom: isRandom,
      overlap: .seconds(overlap ?? EdgeLimits.webhookOverlap.standard), by: token.name)
    return .object { Self.write(app, whole: true, into: &$0) }
  }

  private static func client(_ context: EdgeRequestContext) throws -> String {
    guard let client = PathText.decode(try context.parameters.require("client")) else { throw EdgeFailure.notFound }
    return client
  }

  // MARK: Rendering

  private static func write(_ app: SupportAppView, whole: Bool, into object: inout JSONObjectWriter) {
    object.member("clientId", app.id)
    object.member("appId", app.settings.appID)
    object.member("identity", app.settings.identity.rawValue)
    object.member("integration", app.settings.integration?.name ?? "none")
    object.member("webhookUrl", ifPresent: whole ? app.webhookURL : app.maskedURL)
    if whole { object.member("previousUrl", ifPresent: app.previousURL) }
    object.member("previousUntil", ifPresent: app.previousUntil?.iso8601)
    object.member("rotatedAt", ifPresent: app.rotatedAt?.iso8601)
    object.member("rotatedBy", ifPresent: app.rotatedBy)
    object.member("devices", app.devices)
    object.member("staleDevices", app.staleDevices)
  }

  private static func write(_ view: SupportDeviceView, into object: inout JSONObjectWriter) {
    SupportDeviceRoutes.write(view, into: &object)
    object.member("client_id", view.device.app)
    object.member("stale", view.isStale)
    object.member("ended_reason", ifPresent: view.device.ending?.reason.name)
    object.member("ended_at", ifPresent: view.device.ending?.at.iso8601)
  }
}
