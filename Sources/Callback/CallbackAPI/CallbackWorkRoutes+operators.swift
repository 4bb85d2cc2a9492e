import CallbackDomain
import CallbackEngine
import EngineKit
import EntityRuntime
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// The operator's view of the queues: JSON, with a bearer token of the role `admin`. Spec: GMS 9.5.
///
/// | | |
/// |---|---|
/// | `GET /genesys/1/admin/callback/queues?target=&start_time=&end_time=&states=&max=&after=` | service → records |
/// | `POST /genesys/1/admin/callback/cancel` `{"reason":…,"ids":[…]}` | cancels several, and says which it could not |
extension CallbackWorkRoutes {
  func queues(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let parameters = try await request.parameters(limits: limits)
    let filter = try CallbackQueueFilter(parameters, now: SystemTime().now)
    let page = try await callbacks.queues(filter)
    let queues = Dictionary(grouping: page.elements, by: \.request.serviceName).sorted { $0.key < $1.key }
    let url = ExternalURL(address, options.current, request, context)
    // The next page is one of the same window.
    let window = [
      ("start_time", filter.from.iso8601Milliseconds), ("end_time", filter.to.iso8601Milliseconds),
    ]
    return .object(adding: parameters.link(request.uri.path, "after", next: page.next, window)) { object in
      for (service, callbacks) in queues {
        object.member(named: service) { $0.objects(callbacks) { CallbackRendering.write($0, url, into: &$1) } }
      }
    }
  }

  func cancel(_ token: AccessToken, _ request: Request) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    guard let ids = try body.optionalTexts("ids") else { throw EdgeFailure.missingParameter("ids") }
    guard ids.count <= EdgeLimits.callbacksCancelledMaximum else {
      throw EdgeFailure.badParameter("ids", "has more than \(EdgeLimits.callbacksCancelledMaximum) elements")
    }
    let reason = try body.optionalText("reason") ?? "cancelled by \(token.name)"
    guard reason.utf8.count <= CallbackLimits().noteBytesMaximum else {
      throw EdgeFailure.badParameter("reason", "is longer than \(CallbackLimits().noteBytesMaximum) bytes")
    }
    let outcomes = await callbacks.cancel(ids, reason: reason)
    return .object { answer in
      answer.member("cancelled", outcomes.filter { $0.failure == nil }.map(\.id))
      answer.array("failed") { failed in
        for outcome in outcomes {
          guard let failure = outcome.failure.map({ EdgeFailure($0) }) else { continue }
          failed.object { object in
            object.member("id", outcome.id)
            object.member("message", failure.message)
            object.member("exception", failure.exception)
          }
        }
      }
    }
  }
}
