/// What one HTTP connection may take and how long it may last: one object for all connections of a server.
package final class HTTPConnectionLimits: Sendable {
  /// Request line and header fields together, and what a body's chunks may bring beside their content.
  let headBytesMaximum: Int
  let headerFieldsMaximum: Int
  /// The most that one read takes from the socket.
  let readBytesMaximum: Int
  let pipelinedPartsMaximum: Int
  let drainedBytesMaximum: Int
  let headTimeout: Duration
  let bodyTimeout: Duration
  let bodyBytesPerSecondMinimum: Int
  let keepAliveTimeout: Duration
  let writeTimeout: Duration
  let responseTimeout: Duration
  let departedClientGrace: Duration
  let drainTimeout: Duration
  let eventStreamHeartbeat: Duration

  package init(_ limits: EdgeLimits) {
    headBytesMaximum = limits.headBytesMaximum
    headerFieldsMaximum = limits.headerFieldsMaximum
    readBytesMaximum = EdgeLimits.readBufferBytes.maximum
    pipelinedPartsMaximum = limits.pipelinedPartsMaximum
    drainedBytesMaximum = limits.drainedBytesMaximum
    headTimeout = limits.headTimeout
    bodyTimeout = limits.bodyTimeout
    bodyBytesPerSecondMinimum = limits.bodyBytesPerSecondMinimum
    keepAliveTimeout = limits.keepAliveTimeout
    writeTimeout = limits.writeTimeout
    responseTimeout = limits.responseTimeout
    departedClientGrace = limits.departedClientGrace
    drainTimeout = limits.drainTimeout
    eventStreamHeartbeat = limits.eventStreamHeartbeat
  }
}
