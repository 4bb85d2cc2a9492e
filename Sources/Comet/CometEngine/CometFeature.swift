import Bayeux
package import EngineKit
package import OptionKit
import Synchronization

extension CometGateway: Feature {
  package static var kinds: [EntityCard] { [.comet] }
  package static var options: [OptionSpecification] {
    CometOptions.options + SessionSettings.options + CometExtensions.options + BrowserSettings.options
      + ChannelOptions.options + ChannelLimits.options
  }
  package static var metrics: [MetricKey] { ChannelMetricKeys.metrics }
}

extension CometGateway {
  /// How many requests and sockets each session keeps, by clientId.
  package func exchangeCounts() async -> [String: Int] {
    var counts: [String: Int] = [:]
    for session in directory.all { counts[session.clientID] = await session.exchangeCount }
    return counts
  }

  /// Whether a connect of this session waits.
  package func isHolding(_ clientID: String) async -> Bool { await directory[clientID]?.isHolding == true }

  /// Polls that are held in a place of their browser's.
  package var placesTaken: Int { polls.withLock { $0.count } }
}
