import EdgeSecurity
import EngineKit
package import NIOCore
package import NIOPosix
import NetworkAddress
package import ServerKit

/// The pipeline of an HTTP connection.
package struct HTTPPipeline: PortPipeline {
  private let site: any HTTPSite
  private let services: HTTPServices

  package init(site: any HTTPSite) {
    self.site = site
    services = site.services
  }

  package static var readBufferBytes: (initial: Int, maximum: Int) { EdgeLimits.readBufferBytes }

  package func configure(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
    // Under TLS the end of the client's stream is the end of the connection: nobody half-closes it.
    bootstrap.childChannelOption(.allowRemoteHalfClosure, value: !services.isTLS)
  }

  package func addHandlers(to channel: any Channel, _ residents: LoopResidents) throws {
    let pipeline = channel.pipeline.syncOperations
    let connection = HTTPConnectionHandler(site: site, residents: residents)
    if !services.isTLS, services.settings.takesHTTP2InClear {
      try pipeline.addHandler(HTTP2PrefaceHandler(before: connection))
    }
    try pipeline.addHandler(connection)
  }

  package func refuse(_ channel: any Channel, _ refusal: ConnectionAdmission.Refusal) throws {
    services.metrics.countRefusedConnection()
    let failure: EdgeFailure
    switch refusal {
    case .full: failure = .unavailable("The server has no room for another connection")
    case .tooManyFromAddress:
      services.security.note(.tooManyConnections, from: channel.remoteAddress.flatMap { IPAddress($0) })
      failure = .tooManyConnections
    }
    // Nothing is said in the clear where TLS is spoken: such a connection is closed without a word.
    guard !services.isTLS else { return }
    try channel.pipeline.syncOperations.addHandler(RefusingHandler(failure, security: services.securityFields))
  }
}
