import EdgeSecurity

/// Which requests cost a stranger something.
enum BudgetedRoute {
  private static let table = BudgetTable(APIDocument.carillon.operations)

  /// Nil for what costs nothing. See `BudgetTable`.
  static func action(_ method: String, _ path: some StringProtocol) -> BudgetedAction? { table.action(method, path) }
}
