import AuditAPI
import CallbackAPI
import ChatAPI
import ClientAPI
import CometEdge
import ConsoleAPI
import EdgeSecurity
import Engine
import FileAPI
import HTTPTypes
import Hummingbird
import Logging
import NotificationAPI
import PushAPI
import StandbyAPI
import StorageAPI
import SupportAPI

/// Puts all routes together: the one list of what the server can be asked.
struct EdgeRouter {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits
  let messaging: MessagingEdgeSettings
  /// Whether every user key that reaches a route is proven.
  let provesUsers: Bool
  /// Asks apps' back ends who their users are.
  let verifyIdentity: SupportIdentityVerifier
  /// Hears of wrong credentials that routes do not answer with 401.
  let guesses: GuessGuard
  /// What operators are shown of the configuration.
  let configuration: ConfigurationInForce
  /// The last hour.
  let recorder: OverviewRecorder
  /// The server's version.
  let version: String
  /// What `/metrics` says; nil where it has a port of its own.
  let exposition: MetricsExposition.Source?
  let logger: Logger
  /// Signing in to the console by a provider.
  let openID: OpenIDSignIn
  var console = ConsoleSettings()

  func responder() -> RouterResponder<EdgeRequestContext> {
    let router = router()
    if console.isEnabled { ConsolePageRoutes(console).add(to: router) }
    ClientRoutes().add(to: router)
    return router.buildResponder()
  }

  /// In the order in which they are described.
  static let surfaces: [RoutedSurface<EdgeRouter>] = [
    ServiceRoutes.surface.of { router in
      ServiceRoutes(chats: router.engine.chats, access: ServiceAccess(engine: router.engine), limits: router.limits)
    },
    ChatRoutes.surface.of(\.chatRoutes),
    FileRoutes.surface.of { router in
      FileRoutes(
        files: router.engine.files, chats: router.chatRoutes, tokens: router.tokens, limits: router.limits,
        address: router.messaging.address)
    },
    ReceiptRoutes.surface.of { router in
      ReceiptRoutes(evidence: router.engine.evidence, audit: router.engine.audit, chats: router.chatRoutes)
    },
    CallbackRoutes.surface.of { router in
      CallbackRoutes(
        callbacks: router.engine.callbacks, access: ServiceAccess(engine: router.engine), tokens: router.tokens,
        limits: router.limits, address: router.messaging.address)
    },
    NotificationRoutes.surface.of { router in
      NotificationRoutes(
        notifications: router.engine.notifications, access: ServiceAccess(engine: router.engine),
        tokens: router.tokens, limits: router.limits, provesUsers: router.provesUsers)
    },
    StorageRoutes.surface.of { router in
      StorageRoutes(
        storage: router.engine.storage, access: ServiceAccess(engine: router.engine), limits: router.limits,
        address: router.messaging.address)
    },
    .comet,
    ChannelRoutes.surface.of { router in
      ChannelRoutes(
        channels: router.engine.comet.channels, tokens: router.tokens, limits: router.limits,
        listMaximum: router.engine.listMaximum.operators)
    },
    DeviceRoutes.surface.of { router in
      DeviceRoutes(
        devices: router.engine.devices, access: ServiceAccess(engine: router.engine), limits: router.limits)
    },
    ConsoleRoutes.surface.of { router in
      ConsoleRoutes(
        sessions: router.engine.console, tokens: router.tokens, guesses: router.guesses,
        listMaximum: router.engine.listMaximum.operators)
    }.and(
      OpenIDRoutes.surface.of { router in
        OpenIDRoutes(
          router.openID, sessions: router.engine.console, tokens: router.tokens, console: router.console)
      }),
    AgentRoutes.surface.of(\.agentRoutes),
    CannedReplyRoutes.surface.of { router in
      CannedReplyRoutes(replies: router.engine.cannedReplies, tokens: router.tokens, limits: router.limits)
    },
    FigureRoutes.surface.of { router in FigureRoutes(figures: router.engine.figures, tokens: router.tokens) },
    CallbackWorkRoutes.surface.of { router in
      CallbackWorkRoutes(
        callbacks: router.engine.callbacks, tokens: router.tokens, options: router.engine.options,
        address: router.messaging.address, limits: router.limits, listMaximum: router.engine.listMaximum.agents)
    },
    AdminRoutes.surface.of { router in
      AdminRoutes(
        redactions: router.engine.redactions, audit: router.engine.audit, tokens: router.tokens, limits: router.limits,
        listMaximum: router.engine.listMaximum.operators
      ) { [engine = router.engine] in try await engine.snapshotNow() }
    },
    LogRoutes.surface.of { router in LogRoutes(evidence: router.engine.evidence, tokens: router.tokens) },
    StandbyRoutes.surface.of { router in StandbyRoutes(standbys: router.engine.standbys, tokens: router.tokens) },
    ServerRoutes.surface.of { router in
      ServerRoutes(
        engine: router.engine, tokens: router.tokens, limits: router.limits, configuration: router.configuration,
        recorder: router.recorder, version: router.version, logger: router.logger)
    },
    AdminPushRoutes.surface.of { router in
      AdminPushRoutes(
        devices: router.engine.devices, couriers: router.engine.couriers, tokens: router.tokens,
        limits: router.limits, listMaximum: router.engine.listMaximum.operators)
    }.and(MessagingRoutes.administration.of(\.messagingRoutes)),
    MessagingRoutes.sending.of(\.messagingRoutes), MessagingRoutes.topics.of(\.messagingRoutes),
    MessagingRoutes.registration.of(\.messagingRoutes), MessagingRoutes.deviceClient.of(\.messagingRoutes),
    MessagingRoutes.webPush.of(\.messagingRoutes),
    SupportRoutes.customers.of(\.supportRoutes), SupportRoutes.uploads.of(\.supportRoutes),
    SupportRoutes.desk.of(\.supportRoutes),
    OperationRoutes.surface.of { router in
      OperationRoutes(
        engine: router.engine, exposition: router.exposition,
        document: ServedDocument(.carillon, version: router.version))
    },
  ]

  /// What metrics and the access log call each request.
  static let routes = RouteTable(
    surfaces.flatMap(\.description.operations), below: ["/genesys/cometd"],
    pages: ["/console", "/\(ClientRoutes.folder)"],
    format: ".json")

  var agentRoutes: AgentRoutes {
    AgentRoutes(
      agents: engine.agents, tokens: tokens, limits: limits, listMaximum: engine.listMaximum.agents,
      address: messaging.address, neighbours: NeighboursOfChat(engine: engine))
  }

  /// What agents do over their socket.
  var agentActs: [BoundAgentAct] {
    AgentRoutes.acts.map { $0.bound(to: agentRoutes) } + supportRoutes.agentActs
  }

  private var chatRoutes: ChatRoutes {
    ChatRoutes(
      chats: engine.chats, neighbours: NeighboursOfChat(engine: engine), access: ServiceAccess(engine: engine),
      limits: limits)
  }

  private var messagingRoutes: MessagingRoutes {
    MessagingRoutes(
      messaging: engine.messaging, tokens: tokens, limits: limits, settings: messaging, guesses: guesses, logger: logger
    )
  }

  private var supportRoutes: SupportRoutes {
    SupportRoutes(
      support: engine.support, agents: engine.agents, tokens: tokens, options: engine.options, limits: limits,
      listMaximum: engine.listMaximum, address: messaging.address, verifyIdentity: verifyIdentity)
  }

  /// All routes of the API.
  func router() -> EdgeRoutes {
    let router = Router(context: EdgeRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: FailureMiddleware())
    router.add(Self.surfaces.flatMap { $0.bound(to: self) })
    return router
  }
}
