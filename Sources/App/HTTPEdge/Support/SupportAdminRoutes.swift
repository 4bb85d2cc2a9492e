import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain

/// Apps and devices for the operator: JSON, with a bearer token of the role `admin`. Spec: support requests 3.4, 5.2.
///
/// | | |
/// |---|---|
/// | `GET /admin/1/support/apps` | apps, with how many devices they have; URLs are masked |
/// | `PUT /admin/1/support/apps/{client}/webhook` `{"url":…,"random":true}` | where notifications are posted |
/// | `POST /admin/1/support/apps/{client}/webhook/rotate` `{"overlap_seconds":86400}` | a new random component |
/// | `DELETE /admin/1/support/apps/{client}/webhook` | back to the configured URL |
/// | `GET /admin/1/support/users/{id}/devices` | a user's devices, ended ones too |
struct SupportAdminRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits

  func add(to router: EdgeRoutes) {
    router.resource("/admin/1/support/apps", [.get: { request, _ in try await list(request) }])
    router.resource(
      "/admin/1/support/apps/:client/webhook",
      [
        .put: { request, context in
          let token = try request.requireOperator(tokens)
          let form = try await SupportForm(request, limits: limits)
          let url = try form.text("url")
          return try await set(
            url, isRandom: try form.optionalBool("random") ?? false, form, Self.client(context), by: token)
        },
        .delete: { request, context in
          let token = try request.requireOperator(tokens)
          let app = try await engine.support.clearWebhook(of: try Self.client(context), by: token.name)
          return .json { Self.write(app, whole: false, into: &$0) }
        },
      ])
    router.resource(
      "/admin/1/support/apps/:client/webhook/rotate",
      [
        .post: { request, context in
          let token = try request.requireOperator(tokens)
          let form = try await SupportForm(request, limits: limits)
          return try await set(nil, isRandom: true, form, Self.client(context), by: token)
        }
      ])
    router.resource(
      "/admin/1/support/users/:id/devices",
      [
        .get: { request, context in
          try request.requireOperator(tokens)
          let query = try ListQuery(request, limitMaximum: engine.listMaximum.operators)
          let all = try await engine.support.devices(of: try SupportRequestRoutes.number(context))
          let (views, link) = try query.page(of: all, by: \.id)
          return .json(adding: link) { Self.write(views, into: &$0) }
        }
      ])
  }

  private func list(_ request: Request) async throws -> Response {
    try request.requireOperator(tokens)
    let query = try ListQuery(request, limitMaximum: engine.listMaximum.operators)
    let (apps, link) = try query.page(of: try await engine.support.apps(), by: \.id)
    return .json(adding: link) { writer in
      writer.beginArray()
      for app in apps { Self.write(app, whole: false, into: &writer) }
      writer.endArray()
    }
  }

  /// The one answer that shows the URL whole: the operator has to enter it at the receiver.
  private func set(
    _ base: String?, isRandom: Bool, _ form: SupportForm, _ client: String, by token: AccessToken
  ) async throws -> Response {
    let overlap = try form.optionalInteger("overlap_seconds", in: 0...EdgeLimits.webhookOverlap.maximum)
    let app = try await engine.support.setWebhook(
      of: client, base: base, isRandom: isRandom,
      overlap: .seconds(overlap ?? EdgeLimits.webhookOverlap.standard), by: token.name)
    return .json { Self.write(app, whole: true, into: &$0) }
  }

  private static func client(_ context: EdgeRequestContext) throws -> String {
    guard let client = PathText.decode(try context.parameters.require("client")) else { throw EdgeFailure.notFound }
    return client
  }

  // MARK: Rendering

  private static func write(_ app: SupportAppView, whole: Bool, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("clientId", app.id)
    writer.member("appId", app.settings.appID)
    writer.member("identity", app.settings.identity.rawValue)
    writer.member("integration", app.settings.integration?.name ?? "none")
    writer.optionalMember("webhookUrl", whole ? app.webhookURL : app.maskedURL)
    if whole { writer.optionalMember("previousUrl", app.previousURL) }
    writer.optionalMember("previousUntil", app.previousUntil?.iso8601)
    writer.optionalMember("rotatedAt", app.rotatedAt?.iso8601)
    writer.optionalMember("rotatedBy", app.rotatedBy)
    writer.key("devices")
    writer.integer(app.devices)
    writer.key("staleDevices")
    writer.integer(app.staleDevices)
    writer.endObject()
  }

  private static func write(_ views: [SupportDeviceView], into writer: inout JSONWriter) {
    writer.beginArray()
    for view in views {
      writer.beginObject()
      SupportDeviceRoutes.writeMembers(of: view, into: &writer)
      writer.member("client_id", view.device.app)
      writer.key("stale")
      writer.bool(view.isStale)
      if let ending = view.device.ending {
        writer.member("ended_reason", ending.reason.name)
        writer.member("ended_at", ending.at.iso8601)
      }
      writer.endObject()
    }
    writer.endArray()
  }
}
