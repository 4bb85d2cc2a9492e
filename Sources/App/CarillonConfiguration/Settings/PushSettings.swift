/// What the couriers are told at start; everything else they look up with each push.
public struct PushSettings: Sendable, Equatable {
  /// HTTP pushes to one scheme, host and port at once.
  public let inFlightPerHostMaximum: Int
  /// Where what providers hand out is kept across restarts.
  public let providerTokenDirectory: String

  public init(_ configuration: LoadedConfiguration) {
    let reader = ServerOptionReader(configuration: configuration)
    inFlightPerHostMaximum = reader.integer("limits.pushes_in_flight_per_host")
    providerTokenDirectory = ServerSettings(configuration).dataDirectory + "/provider-tokens"
  }
}
