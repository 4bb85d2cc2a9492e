package import OptionKit

/// Where app servers connect: options of section `server`.
package struct CCSOptions: OptionTable {
  package static let keys = CCSOptions()

  package let port = OptionKey(
    "gcm.ccs_port", in: [.server], .integer(0...65_535),
    "port for app servers' XMPP (CCS, as a rule 5235); none if absent", takes: .restart)
  package let domains = OptionKey(
    "gcm.ccs_domains", in: [.server], .list, default: ["gcm.googleapis.com"], "domains that app servers may ask for",
    takes: .restart)

  package init() {}
}

extension CCSLimits: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "limits.ccs_connections", \.connectionsMaximum, .integer(1...100_000), "app servers that are connected at once")
  ]
}
