import EdgeSecurity

extension Schema {
  /// What strangers may do, in section `server`: a row for each action, and each holder of a budget for it.
  static let budgets: [OptionSpecification] = {
    var rows = [
      row(
        "budget.exempt", .networks, BudgetSettings.exemptDefault.joined(separator: ","),
        "whoever connects from there speaks for many: no budget is kept for them"),
      row("budget.connections", .integer(1...1_000_000), "1000", "open connections from one address, at each port"),
    ]
    for action in BudgetedAction.allCases {
      rows.append(
        row(
          "budget.address.\(action.rawValue)", .integer(perMinute), "\(action.addressPerMinute)",
          "\(action.summary) by one address, at once and again in each minute; 0: no bound"))
      if let count = action.userPerMinute {
        rows.append(
          row(
            "budget.user.\(action.rawValue)", .integer(perMinute), "\(count)",
            "\(action.summary) by one user or credential, at once and again in each minute; 0: no bound"))
      }
    }
    return rows
  }()

  private static let perMinute = 0...1_000_000_000

  private static func row(
    _ name: String, _ type: OptionType, _ defaultValue: String, _ summary: String
  ) -> OptionSpecification {
    OptionSpecification(name, in: [.server], type, default: defaultValue, summary, takes: .restart)
  }
}
