package import Engine
package import Logging

extension HTTPServer {
  /// The server of everything that an engine can be asked over HTTP.
  ///
  /// - Parameters:
  ///   - engine: may still be recovering: the server then says that it is not ready.
  ///   - metrics: the text of `/metrics`, in the exposition format of Prometheus.
  package convenience init(
    engine: Engine, tokens: TokenStore, configuration: EdgeConfiguration, metrics: @escaping @Sendable () -> String,
    logger: Logger
  ) {
    self.init(
      EdgeServices(engine: engine, tokens: tokens, configuration: configuration, exposition: metrics, logger: logger),
      isNeededToTheEnd: { engine.standbys.isExpected }, drain: engine.drain)
  }
}
