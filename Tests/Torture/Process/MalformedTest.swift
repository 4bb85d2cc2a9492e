/// Messages that are no Bayeux, or nearly, by HTTP/1.1 and WebSockets: each is refused at once, and nobody else notices.
struct MalformedTest: TortureTest {
  static let name = "malformed"
  static let purpose = "malformed messages by HTTP/1.1 and WebSockets beside a good chat; needs --server"
  /// Real time counts here.
  static let isParallel = false

  private static let messagesInCase = 10_000
  private static let caseLimit = Duration.seconds(600)
  /// The short form has a debug server and a machine that does other things.
  private static let (answerSeconds, longAnswerSeconds) = (5.0, 0.1)
  /// What a good chat's 99th percentile may be, if twice its own is less.
  private static let (chatSeconds, longChatSeconds) = (0.5, 0.02)

  private let plan: Plan
  private let script: HostileScript

  init(_ plan: Plan) throws {
    self.plan = plan
    script = try HostileScript("malformed", plan)
  }

  /// A million messages in the long form.
  var caseCount: Int { plan.isLong ? 100 : 1 }

  func run(_ number: Int) async throws -> CaseResult {
    try await script.run(
      [
        "\(Self.messagesInCase)", "\(plan.seed(of: number))",
        "\(plan.isLong ? Self.longAnswerSeconds : Self.answerSeconds)",
        "\(plan.isLong ? Self.longChatSeconds : Self.chatSeconds)",
      ], within: Self.caseLimit)
  }

  var remarks: [String] { script.remarks.lines }
}
