import HTTPKit
import SupportEngine

/// Routes of support's own surface, with who may use them.
protocol SupportBearerRoutes: Sendable {
  var access: SupportAccess { get }
}

extension Admission where Routes: SupportBearerRoutes, Caller == SupportActor {
  static var supportUser: Self {
    Self(.supportUser) { routes, request, _ in try await routes.access.actor(request, at: .endUsers) }
  }
  static var supportAgent: Self {
    Self(.supportAgent) { routes, request, _ in try await routes.access.actor(request, at: .agents) }
  }
  /// An end user or an agent.
  static var supportAnyone: Self {
    Self(.supportAnyone) { routes, request, _ in try await routes.access.actor(request) }
  }
}

extension Admission where Routes: SupportBearerRoutes, Caller == Void {
  /// Anybody.
  static var open: Self { Self(.open) { _, _, _ in } }
  static var supportOperator: Self {
    Self(.supportOperator) { routes, request, _ in try routes.access.requireOperator(request) }
  }
}
