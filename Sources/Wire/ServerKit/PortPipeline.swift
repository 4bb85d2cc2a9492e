package import NIOCore
package import NIOPosix

/// What a server puts into the pipelines of its port's connections.
package protocol PortPipeline: Sendable {
  /// The smallest and the largest read buffer, see `PassingReadBuffers`: no idle connection has one.
  static var readBufferBytes: (initial: Int, maximum: Int) { get }

  /// Sets what the connections of this port want of their sockets.
  func configure(_ bootstrap: ServerBootstrap) -> ServerBootstrap
  /// Puts the handlers above TLS into the pipeline of a connection that was admitted.
  /// - Throws: what closes the connection.
  func addHandlers(to channel: any Channel, _ residents: LoopResidents) throws
  /// Counts a connection that was not admitted, and answers it if there is a way to.
  /// - Throws: what closes the connection.
  func refuse(_ channel: any Channel, _ refusal: ConnectionAdmission.Refusal) throws
}
