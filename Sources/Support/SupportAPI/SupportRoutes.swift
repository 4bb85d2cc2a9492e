package import ChatAPI
package import ChatEngine
package import EngineKit
package import HTTPKit
package import SupportEngine

/// Support requests, for apps that speak Zendesk's Support SDK, for agents, and for back ends. Spec: support requests.
///
/// Each path may also end in `.json`: `SupportTarget` takes that away before the router looks. What the SDK calls under
/// `/api/mobile` is the documented resource of `/api/v2` under a second name.
package struct SupportRoutes: Sendable {
  let identity: SupportIdentityRoutes
  let devices: SupportDeviceRoutes
  let requests: SupportRequestRoutes
  let tickets: SupportRequestRoutes
  let reading: SupportReadingRoutes
  let files: SupportFileRoutes
  let work: SupportAgentRoutes
  let administration: SupportAdminRoutes

  /// - Parameters:
  ///   - listMaximum: how much one list may hold.
  ///   - verifyIdentity: asks apps' back ends who their users are.
  package init(
    support: SupportService, agents: AgentService, tokens: TokenStore, options: OptionStore, limits: EdgeLimits,
    listMaximum: (agents: Int, operators: Int), address: PublicAddress,
    verifyIdentity: @escaping SupportIdentityVerifier
  ) {
    let access = SupportAccess(support: support, tokens: tokens, options: options)
    identity = SupportIdentityRoutes(
      support: support, access: access, limits: limits, verifyIdentity: verifyIdentity)
    devices = SupportDeviceRoutes(support: support, access: access, limits: limits)
    requests = SupportRequestRoutes(
      desk: .endUsers, support: support, access: access, limits: limits, address: address)
    tickets = SupportRequestRoutes(desk: .agents, support: support, access: access, limits: limits, address: address)
    reading = SupportReadingRoutes(support: support, access: access, limits: limits)
    files = SupportFileRoutes(support: support, access: access, limits: limits, address: address)
    work = SupportAgentRoutes(
      support: support, agents: agents, tokens: tokens, limits: limits, listMaximum: listMaximum.agents,
      address: address)
    administration = SupportAdminRoutes(
      support: support, tokens: tokens, limits: limits, listMaximum: listMaximum.operators)
  }

  /// What agents do here, over their socket.
  package var agentActs: [BoundAgentAct] { SupportAgentRoutes.acts.map { $0.bound(to: work) } }
}
