package import OptionKit

/// What devices and browsers are told about this server: options of section `server`.
package struct PublishedAddressOptions: OptionTable {
  package static let keys = PublishedAddressOptions()

  package let deviceHost = OptionKey(
    "gcm.mcs_host", in: [.server], .text,
    "name that devices are told to connect to; that of external_url_base if absent", takes: .restart)
  package let devicePort = OptionKey(
    "gcm.mcs_public_port", in: [.server], .integer(1...65_535),
    "port that devices are told; gcm.mcs_port if absent", takes: .restart)
  package let checkInInterval = OptionKey(
    "gcm.checkin_interval", in: [.server], .seconds(43_200...31_536_000),
    default: MessagingEdgeSettings().checkInInterval, "how often devices check in", takes: .restart)
  package let webPushOrigins = OptionKey(
    "gcm.web_push_origins", in: [.server], .list,
    "origins beside external_url_base that browsers know this server by", takes: .restart)

  package init() {}
}
