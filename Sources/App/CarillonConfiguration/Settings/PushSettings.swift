/// Bounds of the HTTP pushes, and whether apps may name receivers inside the operator's network.
public struct PushSettings: Sendable, Equatable {
  public let inFlightMaximum: Int
  public let inFlightPerHostMaximum: Int
  public let waitingMaximum: Int
  /// Option `httpcb.allow_private_addresses` of section `push`.
  public let allowsPrivateAddresses: Bool

  public init(_ configuration: LoadedConfiguration) {
    let reader = ServerOptionReader(configuration: configuration)
    inFlightMaximum = reader.integer("limits.pushes_in_flight")
    inFlightPerHostMaximum = reader.integer("limits.pushes_in_flight_per_host")
    waitingMaximum = reader.integer("limits.pushes_waiting")
    allowsPrivateAddresses = configuration.sections["push"]?["httpcb.allow_private_addresses"] != "false"
  }
}
