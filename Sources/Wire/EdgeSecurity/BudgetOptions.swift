package import NetworkAddress
package import OptionKit

// What strangers may do, in section `server`: an option for each action, and each holder of a budget for it.
extension BudgetSettings: OptionSettings {
  package static let fields: [OptionField<Self>] =
    [
      OptionField(
        "budget.exempt", \.exempt, .networks, "whoever connects from there speaks for many: no budget is kept for them"),
      OptionField(
        "budget.connections", \.connectionsByAddressMaximum, .integer(1...1_000_000),
        "open connections from one address, at each port"),
    ] + BudgetedAction.allCases.flatMap(fields)

  private static func fields(_ action: BudgetedAction) -> [OptionField<Self>] {
    let perMinute = OptionForm<Int>.integer(0...1_000_000_000)
    let ofAddress = OptionField(
      "budget.address.\(action.rawValue)", \Self[ofAddress: action], perMinute,
      "\(action.summary) by one address, at once and again in each minute; 0: no bound")
    guard action.userPerMinute != nil else { return [ofAddress] }
    return [
      ofAddress,
      OptionField(
        "budget.user.\(action.rawValue)", \Self[ofUser: action], perMinute,
        "\(action.summary) by one user or credential, at once and again in each minute; 0: no bound"),
    ]
  }

  private subscript(ofAddress action: BudgetedAction) -> Int {
    get { addressPerMinute[action] ?? 0 }
    set { addressPerMinute[action] = newValue }
  }

  private subscript(ofUser action: BudgetedAction) -> Int {
    get { userPerMinute[action] ?? 0 }
    set { userPerMinute[action] = newValue }
  }
}

extension OptionForm where Value == [AddressBlock] {
  /// Addresses and networks of the internet protocol; what is none of them is left out.
  package static var networks: OptionForm<[AddressBlock]> {
    Self(
      .networks, read: { OptionType.members(of: $0).compactMap { AddressBlock($0) } },
      write: { $0.map(\.description).joined(separator: ",") })
  }
}
