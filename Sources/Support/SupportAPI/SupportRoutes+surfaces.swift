package import HTTPKit

/// Spec: support requests 2, 3, 7, 8.
extension SupportRoutes {
  package static let customers = RoutedSurface<SupportRoutes>(
    "support requests",
    """
    What apps say that are made with Zendesk's Support SDK, and back ends that push for them. Each path may end in \
    `.json` as well. What the SDK calls below `/api/mobile` is the resource of `/api/v2` by another name.
    """,
    SupportIdentityRoutes.operations.map { $0.of(\.identity) }
      + SupportDeviceRoutes.operations.map { $0.of(\.devices) }
      + prefixes.flatMap { SupportRequestRoutes.operations(.endUsers, $0, $1) }.map { $0.of(\.requests) }
      + prefixes.flatMap { SupportReadingRoutes.operations($0, $1) }.map { $0.of(\.reading) },
    schemas: SupportSchema.shared)

  package static let uploads = RoutedSurface<SupportRoutes>(
    "support files", "Files are uploaded first; a comment names them by their tokens, within the hour.",
    (prefixes.flatMap { SupportFileRoutes.uploads($0, $1) } + [SupportFileRoutes.file]).map { $0.of(\.files) })

  package static let desk = RoutedSurface<SupportRoutes>(
    "support desk", "Requests for agents (there they are tickets), and apps and devices for operators.",
    SupportRequestRoutes.operations(.agents, "/api/v2", "").map { $0.of(\.tickets) }
      + SupportAgentRoutes.operations.map { $0.of(\.work) }
      + SupportAdminRoutes.operations.map { $0.of(\.administration) })

  /// The documented paths and the SDK's own, with what keeps the operations of the alias apart.
  private static let prefixes = [("/api/v2", ""), ("/api/mobile", "Mobile")]
}
