import Engine

/// Support requests, for apps that speak Zendesk's Support SDK, for agents, and for back ends. Spec: support requests.
///
/// Each path may also end in `.json`: `SupportTarget` takes that away before the router looks. What the SDK calls under
/// `/api/mobile` is the documented resource of `/api/v2` under a second name.
struct SupportRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let settings: MessagingEdgeSettings
  let verifyIdentity: SupportIdentityVerifier

  func add(to router: EdgeRoutes) {
    let access = SupportAccess(engine: engine, tokens: tokens)
    SupportIdentityRoutes(engine: engine, access: access, limits: limits, verifyIdentity: verifyIdentity)
      .add(to: router)
    SupportDeviceRoutes(engine: engine, access: access, limits: limits).add(to: router)
    for desk in SupportDesk.allCases {
      SupportRequestRoutes(desk: desk, engine: engine, access: access, limits: limits, settings: settings)
        .add(to: router)
    }
    SupportReadingRoutes(engine: engine, access: access, limits: limits).add(to: router)
    SupportFileRoutes(engine: engine, access: access, limits: limits, settings: settings).add(to: router)
    SupportAgentRoutes(engine: engine, tokens: tokens, limits: limits, settings: settings).add(to: router)
    SupportAdminRoutes(engine: engine, tokens: tokens, limits: limits).add(to: router)
  }
}

/// The two sides of a request: the same resource under two names, by what each may see and do.
enum SupportDesk: CaseIterable {
  /// Requests, as their requesters see them.
  case endUsers
  /// Tickets.
  case agents

  /// What one of them is called in a body.
  var one: StaticString { self == .endUsers ? "request" : "ticket" }
  var many: StaticString { self == .endUsers ? "requests" : "tickets" }

  /// The documented path first, then its alias.
  var paths: [String] { self == .endUsers ? ["/api/v2/requests", "/api/mobile/requests"] : ["/api/v2/tickets"] }
}
