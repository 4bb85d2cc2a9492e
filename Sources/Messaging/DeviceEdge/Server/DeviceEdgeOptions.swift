package import OptionKit

/// Where devices connect: options of section `server`.
package struct DeviceEdgeOptions: OptionTable {
  package static let keys = DeviceEdgeOptions()

  package let port = OptionKey(
    "gcm.mcs_port", in: [.server], .integer(0...65_535),
    "port for devices' connections (MCS, as a rule 5228); none if absent", takes: .restart)

  package init() {}
}

extension DeviceEdgeLimits: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "limits.mcs_connections", \.connectionsMaximum, .integer(1...1_000_000), "devices that are connected at once")
  ]
}
