import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What an end user has not read yet: Carillon's own, beside the SDK's calls. Spec: support requests 6.2.
///
/// | | |
/// |---|---|
/// | `GET /api/v2/requests/updates?device=` | requests with news, and how many comments |
/// | `POST /api/v2/requests/{id}/read` `{"comment_id","device"}` | that far they are read |
struct SupportReadingRoutes {
  let engine: Engine
  let access: SupportAccess
  let limits: EdgeLimits

  func add(to router: EdgeRoutes) {
    for path in SupportDesk.endUsers.paths {
      router.resource(RouterPath(path + "/updates"), [.get: { request, _ in try await updates(request) }])
      router.resource(RouterPath(path + "/:id/read"), [.post: { try await read($0, $1) }])
    }
  }

  private func updates(_ request: Request) async throws -> Response {
    let actor = try await access.actor(request, at: .endUsers)
    let news = try await engine.support.news(for: actor, device: try request.queryParameters()["device"])
    return .conditional(request) { list in
      list.objects("updates", news) { item, object in
        object.member("request_id", item.request)
        object.member("unread", item.unread)
      }
      list.member("count", news.count)
    }
  }

  @Sendable private func read(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let actor = try await access.actor(request, at: .endUsers)
    let number = try SupportRequestRoutes.number(context)
    let form = try await SupportForm(request, limits: limits)
    var comment: Int?
    if let id = try form.optionalID("comment_id") {
      let parts = SupportIDs.parts(ofComment: id)
      guard parts.request == number else {
        throw SupportFailure.invalid(field: "comment_id", reason: "is of another request")
      }
      comment = parts.number
    }
    try await engine.support.read(number, upTo: comment, device: try form.optionalText("device"), by: actor)
    return Response(status: .noContent)
  }
}
