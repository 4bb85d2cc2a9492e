package import EdgeSecurity
package import NIOCore
import NIOSSL

/// What becomes of a connection that has come: admitted or refused, TLS, then the server's own handlers.
package struct Acceptor: Sendable {
  private let admission: ConnectionAdmission
  private let residents: Residents
  private let certificate: ListenerCertificate?
  private let pipeline: any PortPipeline

  /// - Parameter certificate: nil without TLS.
  package init(
    admission: ConnectionAdmission, residents: Residents, certificate: ListenerCertificate?, pipeline: any PortPipeline
  ) {
    self.admission = admission
    self.residents = residents
    self.certificate = certificate
    self.pipeline = pipeline
  }

  /// Called on the connection's event loop, once.
  /// - Throws: what closes the connection.
  package func accept(_ channel: any Channel) throws {
    guard let residents = residents[channel.eventLoop] else { throw ChannelError.inappropriateOperationForState }
    if let refusal = admission.admit(channel) {
      try pipeline.refuse(channel, refusal)
      // A handshake is more than such a client gets.
      guard certificate == nil else { throw ChannelError.operationUnsupported }
      return
    }
    if let certificate {
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: certificate.context))
    }
    try pipeline.addHandlers(to: channel, residents)
  }
}
