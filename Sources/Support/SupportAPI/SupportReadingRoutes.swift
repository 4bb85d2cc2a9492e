import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportEngine

/// What an end user has not read yet: Carillon's own, beside the SDK's calls. Spec: support requests 6.2.
///
/// | | |
/// |---|---|
/// | `GET /api/v2/requests/updates?device=` | requests with news, and how many comments |
/// | `POST /api/v2/requests/{id}/read` `{"comment_id","device"}` | that far they are read |
struct SupportReadingRoutes: SupportBearerRoutes {
  let support: SupportService
  let access: SupportAccess
  let limits: EdgeLimits

  func updates(_ request: Request, for actor: SupportActor) async throws -> Response {
    let news = try await support.news(for: actor, device: try request.queryParameters()["device"])
    return .conditional(request) { list in
      list.objects("updates", news) { item, object in
        object.member("request_id", item.request)
        object.member("unread", item.unread)
      }
      list.member("count", news.count)
    }
  }

  func read(
    _ request: Request, _ context: EdgeRequestContext, by actor: SupportActor
  ) async throws -> Response {
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
    try await support.read(number, upTo: comment, device: try form.optionalText("device"), by: actor)
    return Response(status: .noContent)
  }
}
