import Bayeux
package import EngineKit
package import OptionKit

extension CometGateway: Feature {
  package static var kinds: [EntityCard] { [.comet] }
  package static var options: [OptionSpecification] {
    CometOptions.options + SessionSettings.options + CometExtensions.options + ChannelOptions.options
      + ChannelLimits.options
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
}
