import CallbackDomain
import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The operator's view of the queues: JSON, with a bearer token of the role `admin`. Spec: GMS 9.5.
///
/// | | |
/// |---|---|
/// | `GET /genesys/1/admin/callback/queues?target=&start_time=&end_time=&states=&max=&after=` | service → records |
/// | `POST /genesys/1/admin/callback/cancel` `{"reason":…,"ids":[…]}` | cancels several, and says which it could not |
struct CallbackAdminRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let settings: MessagingEdgeSettings

  func add(to router: EdgeRoutes) {
    router.resource("/genesys/1/admin/callback/queues", [.get: { try await queues($0, $1) }])
    router.resource("/genesys/1/admin/callback/cancel", [.post: { request, _ in try await cancel(request) }])
  }

  @Sendable private func queues(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try request.requireOperator(tokens)
    let parameters = try await request.parameters(limits: limits)
    let filter = try CallbackQueueFilter(parameters, now: Timestamp(milliseconds: WallClock.milliseconds()))
    let page = try await engine.callbacks.queues(filter)
    let queues = Dictionary(grouping: page.elements, by: \.request.serviceName).sorted { $0.key < $1.key }
    let url = ExternalURL(settings, engine.options.current, request, context)
    // The next page is one of the same window.
    let window = [
      ("start_time", filter.from.iso8601Milliseconds), ("end_time", filter.to.iso8601Milliseconds),
    ]
    return .json(adding: parameters.link(request.uri.path, "after", next: page.next, window)) { writer in
      writer.beginObject()
      for (service, callbacks) in queues {
        writer.key(service)
        CallbackRendering.write(callbacks, url, into: &writer)
      }
      writer.endObject()
    }
  }

  private func cancel(_ request: Request) async throws -> Response {
    let token = try request.requireOperator(tokens)
    let body = try JSONBody(try await request.bytes(limits: limits))
    guard let ids = try body.optionalTexts("ids") else { throw EdgeFailure.missingParameter("ids") }
    guard ids.count <= EdgeLimits.callbacksCancelledMaximum else {
      throw EdgeFailure.badParameter("ids", "has more than \(EdgeLimits.callbacksCancelledMaximum) elements")
    }
    let reason = try body.optionalText("reason") ?? "cancelled by \(token.name)"
    guard reason.utf8.count <= CallbackLimits().noteBytesMaximum else {
      throw EdgeFailure.badParameter("reason", "is longer than \(CallbackLimits().noteBytesMaximum) bytes")
    }
    let outcomes = await engine.callbacks.cancel(ids, reason: reason)
    return .json { writer in
      writer.beginObject()
      writer.key("cancelled")
      writer.beginArray()
      for outcome in outcomes where outcome.failure == nil { writer.string(outcome.id) }
      writer.endArray()
      writer.key("failed")
      writer.beginArray()
      for outcome in outcomes {
        guard let failure = outcome.failure.map({ EdgeFailure($0) }) else { continue }
        writer.beginObject()
        writer.member("id", outcome.id)
        writer.member("message", failure.message)
        writer.member("exception", failure.exception)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
  }
}
