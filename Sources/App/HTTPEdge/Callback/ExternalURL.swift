import Engine
import Hummingbird
import OptionKit

/// What the absolute URLs in dialogs and records begin with. Spec: GMS 2.1, 9.3.
struct ExternalURL: Equatable {
  /// `$(ExtURLBase)`, without a slash at its end.
  let base: String
  /// `$(CometURL)`.
  let comet: String

  /// The configured base, else what the client called us by. One without a path means our own path.
  init(_ settings: MessagingEdgeSettings, _ options: Options, _ request: Request, _ context: EdgeRequestContext) {
    self.init(origin: settings.origin(request, context), comet: options[AccessOptions.keys.cometURL])
  }

  /// - Parameter origin: scheme, authority and, behind a proxy that has its own, a path.
  init(origin: String, comet: String? = nil) {
    let authority = origin.firstRange(of: "://")?.upperBound ?? origin.startIndex
    base = origin[authority...].contains("/") ? origin : origin + "/genesys"
    self.comet = comet ?? base + "/cometd"
  }

  /// The resource of an instance: `B` of the specification.
  func instance(_ id: String) -> String { "\(base)/1/service/\(id)" }

  /// Where a callback is managed.
  func callback(_ id: String, of service: String) -> String { "\(base)/1/service/callback/\(service)/\(id)" }
}
