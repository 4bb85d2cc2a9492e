package import OptionKit

/// Whether the server counts as durable only what a standby has on its disk too.
public struct StandbySettings: Sendable, Equatable {
  public var waits = false
  /// What is on this disk for so long without a standby's having it ends the taking of changes.
  public var waitLimit: Duration = .seconds(10)

  public init() {}
}

extension StandbySettings: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "standby.wait", \.waits, .flag,
      "nothing is answered, sent or shown before a standby has its record on the disk too"),
    OptionField(
      "standby.wait_limit", \.waitLimit, .seconds(0.1...3_600),
      "with standby.wait: once no standby has had a record for so long, changes are refused with 503; what waits, waits on"
    ),
  ]
}
