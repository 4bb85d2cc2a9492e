import CallbackDomain
package import CallbackEngine
import ChatAPI
import ChatEngine
package import EngineKit
package import HTTPKit
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
package struct CallbackWorkRoutes: TokenRoutes {
  let callbacks: CallbackService
  package let tokens: TokenStore
  let options: OptionStore
  let address: PublicAddress
  let limits: EdgeLimits
  /// How much one list of agents may hold.
  let listMaximum: Int

  package init(
    callbacks: CallbackService, tokens: TokenStore, options: OptionStore, address: PublicAddress, limits: EdgeLimits,
    listMaximum: Int
  ) {
    self.callbacks = callbacks
    self.tokens = tokens
    self.options = options
    self.address = address
    self.limits = limits
    self.listMaximum = listMaximum
  }

  func list(_ token: AccessToken, _ request: Request) async throws -> Response {
    let query = try ListQuery(request, ["state", "service"], limitMaximum: listMaximum)
    let page = try await callbacks.list(try AgentListQuery(query), for: token.viewer)
    return .json(adding: query.link(next: page.next)) {
      $0.objects(page.elements) { AgentRendering.write($0, into: &$1) }
    }
  }

  func show(_ token: AccessToken, _ context: EdgeRequestContext) async throws -> Response {
    let view = try await callbacks.view(try context.parameters.require("id"), for: token.viewer)
    return .object { AgentRendering.writeWhole(view, into: &$0) }
  }

  /// What an agent says of the callback of the path.
  func report(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext,
    _ read: (JSONBody) throws -> CallbackReport
  ) async throws -> Response {
    let report = try read(try JSONBody(try await request.bytes(limits: limits)))
    let view = try await callbacks.report(report, of: try context.parameters.require("id"), for: token.viewer)
    return .object { AgentRendering.writeWhole(view, into: &$0) }
  }
}

extension JSONBody {
  /// Why there was no conversation: `reason`, else that the call did not reach the customer. Spec: GMS 9.4.
  var failure: CallbackReason {
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
