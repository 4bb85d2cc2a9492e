import CallbackDomain
import ChatAPI
import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Agents' work with callbacks: their token, their JSON, as with chats. Spec: GMS 12.3.
///
/// | | |
/// |---|---|
/// | `GET /agent/1/callbacks?state=waiting\|own\|all&service=&limit=&after=` | waiting: in the order in which they are served |
/// | `GET /agent/1/callbacks/{id}` | one, with its fields |
/// | `POST /agent/1/callbacks/{id}/available` | serves this one; the router offers others by itself |
/// | `POST …/accept`, `…/release` | takes what was offered, or leaves it to the next |
/// | `POST …/connected`, `…/ended` | the conversation begins, is over |
/// | `POST …/failed` `{"reason":"FAIL_CALL_TO_CUSTOMER"}` | there was none |
struct AgentCallbackRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits

  func add(to router: EdgeRoutes) {
    let (callbacks, tokens, listMaximum) = (engine.callbacks, tokens, engine.listMaximum.agents)
    router.resource(
      "/agent/1/callbacks",
      [
        .get: { request, _ in
          let token = try request.agentToken(in: tokens)
          let query = try ListQuery(request, ["state", "service"], limitMaximum: listMaximum)
          let page = try await callbacks.list(try AgentListQuery(query), for: token.viewer)
          return .json(adding: query.link(next: page.next)) {
            $0.objects(page.elements) { AgentRendering.write($0, into: &$1) }
          }
        }
      ])
    router.resource(
      "/agent/1/callbacks/:id",
      [
        .get: { request, context in
          let token = try request.agentToken(in: tokens)
          let view = try await callbacks.view(try context.parameters.require("id"), for: token.viewer)
          return .object { AgentRendering.writeWhole(view, into: &$0) }
        }
      ])
    for (name, report) in [
      ("available", .available), ("accept", .accepted), ("release", .released), ("connected", .connected),
      ("ended", .ended),
    ] as [(String, CallbackReport)] {
      add(name, to: router) { _ in report }
    }
    add("failed", to: router) { .failed(try $0.failure) }
  }

  private func add(
    _ name: String, to router: EdgeRoutes, _ report: @escaping @Sendable (JSONBody) throws -> CallbackReport
  ) {
    let (callbacks, tokens, limits) = (engine.callbacks, tokens, limits)
    router.resource(
      RouterPath("/agent/1/callbacks/:id/\(name)"),
      [
        .post: { request, context in
          let token = try request.agentToken(in: tokens)
          let report = try report(try JSONBody(try await request.bytes(limits: limits)))
          let view = try await callbacks.report(report, of: try context.parameters.require("id"), for: token.viewer)
          return .object { AgentRendering.writeWhole(view, into: &$0) }
        }
      ])
  }
}

extension JSONBody {
  /// Why there was no conversation: `reason`, else that the call did not reach the customer. Spec: GMS 9.4.
  fileprivate var failure: CallbackReason {
    get throws {
      guard let name = try optionalText("reason") else { return .callToCustomerFailed }
      guard let reason = CallbackReason(name: name), reason.isReportable else {
        let names = CallbackReason.allCases.filter(\.isReportable).map(\.name)
        throw EdgeFailure.badParameter("reason", "is not one of \(names.joined(separator: ", "))")
      }
      return reason
    }
  }
}
