import Bayeux
import JSONEnvelope

/// Carries Bayeux messages to the server and back.
protocol CometTransport: Sendable {
  var type: ConnectionType { get }

  /// Sends `requests` as one array and returns the reply to each, in their order. Events that come meanwhile go to the
  /// transport's `deliver`, and those of the same response do so before this returns.
  func exchange(_ requests: [CometRequest], timeout: Duration) async throws(ClientError) -> [CometMessage]

  /// Lets go of what the transport holds open. A later `exchange` opens it anew.
  func close() async
}

extension ConnectionType {
  /// What the library speaks. Scripts are for pages.
  static let ofApps: [ConnectionType] = [.longPolling, .webSocket]
}

/// Events on their way to the client, in order.
typealias CometDelivery = @Sendable ([CometMessage]) async -> Void

extension CometTransport {
  /// - Parameter firstID: the id of the first request; the others count up from it.
  func encode(_ requests: [CometRequest], firstID: Int) -> [UInt8] {
    JSONWriter.array { messages in
      for (offset, request) in requests.enumerated() {
        messages.object { request.write(id: String(firstID + offset), into: &$0) }
      }
    }
  }
}
