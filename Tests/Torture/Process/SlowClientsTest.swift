/// Clients that never come to an end, in each way there is: each is cut at its limit, and gives back what it had.
struct SlowClientsTest: TortureTest {
  static let name = "slowclients"
  static let purpose = "heads, bodies, readers, fragments, handshakes and streams without an end; needs --server"
  /// Real time counts here.
  static let isParallel = false

  private static let (clientsOfKind, longClientsOfKind) = (100, 5_000)
  private static let caseLimit = Duration.seconds(900)
  /// The longest that a good chat may wait for a message meanwhile.
  private static let (chatSeconds, longChatSeconds) = (5.0, 2.0)

  private let plan: Plan
  private let script: HostileScript

  init(_ plan: Plan) throws {
    self.plan = plan
    script = try HostileScript("slow_clients", plan)
  }

  /// One of all kinds in the short form; of each kind one in the long form, which has no descriptors for all at once.
  var caseCount: Int { plan.isLong ? Self.kindCount : 1 }

  func run(_ number: Int) async throws -> CaseResult {
    try await script.run(
      [
        "\(plan.isLong ? Self.longClientsOfKind : Self.clientsOfKind)",
        "\(plan.isLong ? Self.longChatSeconds : Self.chatSeconds)", plan.isLong ? "2" : "1",
        plan.isLong ? "\(number)" : "all",
      ], within: Self.caseLimit)
  }

  /// As the script lists them.
  private static let kindCount = 12

  var remarks: [String] { script.remarks.lines }
}
