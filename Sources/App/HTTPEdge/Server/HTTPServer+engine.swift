package import Engine
package import Logging

extension HTTPServer {
  /// The server of everything that an engine can be asked over HTTP.
  ///
  /// - Parameters:
  ///   - engine: may still be recovering: the server then says that it is not ready.
  ///   - metrics: what `/metrics` says; nil where it has a port of its own.
  package convenience init(
    engine: Engine, tokens: TokenStore, configuration: EdgeConfiguration, metrics: MetricsExposition.Source?,
    logger: Logger
  ) {
    self.init(
      EdgeServices(engine: engine, tokens: tokens, configuration: configuration, exposition: metrics, logger: logger),
      isNeededToTheEnd: { engine.standbys.isExpected }, drain: engine.drain)
  }
}
