package import EngineKit
package import Hummingbird
import OptionKit

/// What the absolute URLs in dialogs and records begin with. Spec: GMS 2.1, 9.3.
package struct ExternalURL: Equatable {
  /// `$(ExtURLBase)`, without a slash at its end.
  package let base: String
  /// `$(CometURL)`.
  package let comet: String

  /// The configured base, else what the client called us by. One without a path means our own path.
  package init(_ address: PublicAddress, _ options: Options, _ request: Request, _ context: EdgeRequestContext) {
    self.init(origin: address.origin(request, context), comet: options[AccessOptions.keys.cometURL])
  }

  /// - Parameter origin: scheme, authority and, behind a proxy that has its own, a path.
  package init(origin: String, comet: String? = nil) {
    let authority = origin.firstRange(of: "://")?.upperBound ?? origin.startIndex
    base = origin[authority...].contains("/") ? origin : origin + "/genesys"
    self.comet = comet ?? base + "/cometd"
  }

  /// The resource of an instance: `B` of the specification.
  package func instance(_ id: String) -> String { "\(base)/1/service/\(id)" }
}
