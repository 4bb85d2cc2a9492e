public import NetworkAddress

/// What strangers may do: the options `budget.*` of section `server`.
public struct BudgetSettings: Sendable, Equatable {
  /// Of one address; 0 is no bound.
  public var addressPerMinute: [BudgetedAction: Int]
  /// Of one user or credential; 0 is no bound.
  public var userPerMinute: [BudgetedAction: Int]
  /// Open connections from one address; each further one is answered with 429 and closed.
  public var connectionsByAddressMaximum = 1_000
  /// Whoever is there speaks for many, such as a proxy on the same machine: no budget is kept for them.
  public var exempt: [AddressBlock]
  /// Addresses, and users, of whom what they did is known, for each action.
  public var keysMaximum = 32_768

  public init() {
    addressPerMinute = [:]
    userPerMinute = [:]
    for action in BudgetedAction.allCases {
      addressPerMinute[action] = action.addressPerMinute
      userPerMinute[action] = action.userPerMinute
    }
    // Loopback.
    exempt = ["127.0.0.0/8", "::1"].compactMap { AddressBlock($0) }
  }

  func isExempt(_ address: IPAddress) -> Bool { exempt.contains { $0.contains(address) } }
}
