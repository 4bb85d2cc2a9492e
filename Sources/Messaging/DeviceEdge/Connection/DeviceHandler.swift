import MCSProtocol
package import NIOCore
package import ServerKit

/// The handler of a device's connection, whatever it is written with.
package protocol DeviceHandler: ResidentHandler, DeviceTransport {
  var residency: Residency { get }
  /// Nil once it is gone.
  var connection: DeviceConnection? { get }
  var context: ChannelHandlerContext? { get }
  /// The last word is written, or on its way.
  var isClosing: Bool { get }
}

extension DeviceHandler {
  package func setDeadline(_ duration: Duration) { residency.setDeadline(after: duration) }

  package func deadlinePassed() {
    if isClosing {
      context?.close(promise: nil)
    } else {
      connection?.deadlinePassed()
    }
  }

  package func serverStops() { connection?.end(.draining) }
  package func cut() { context?.close(promise: nil) }
}
