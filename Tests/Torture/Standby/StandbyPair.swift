import Foundation

/// Two machines, the line between them, and those who write to the one that is the primary.
actor StandbyPair {
  /// What a round has come to.
  struct Outcome: Sendable {
    var violations: [String] = []
    var missingCount = 0
    /// Records that only the former primary had.
    var asideCount: UInt64 = 0
    var course = StandbyLoad.Course()
  }

  /// A standby has so much time to have everything, and then the same bytes, before it counts as stuck.
  private static let settleTries = 600
  private static let settleInterval = Duration.milliseconds(50)
  /// Of a server that has taken over, and of one that starts on a directory that is not its own any more.
  private static let relieved: Int32 = 110
  private static let followsAnother: Int32 = 111

  private let waits: Bool
  private let line: StandbyLine
  private var primary: StandbyNode
  private var standby: StandbyNode
  private var load: StandbyLoad?
  private var book = EpochBook()
  private var tokens = (agent: "", admin: "", standby: "")
  private var standbyTokenFile = ""

  /// - Parameter waits: nothing is acknowledged before the standby has it.
  init(_ carillon: Carillon, waits: Bool) async throws {
    self.waits = waits
    primary = try StandbyNode("a", carillon, waits: waits)
    standby = try StandbyNode("b", carillon, waits: waits)
    line = try await StandbyLine.open()
  }

  /// Starts both, and the chats.
  func begin() async throws {
    standbyTokenFile = try await primary.makeToken("blue", role: "standby")
    let files = [
      try await primary.makeToken("k", role: "agent"), try await primary.makeToken("ops", role: "admin"),
      standbyTokenFile,
    ]
    let secrets = try files.map {
      try String(contentsOfFile: $0, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    tokens = (secrets[0], secrets[1], secrets[2])
    try await primary.serve()
    try await line.lead(to: primary.port)
    try await standby.follow(line, tokenFile: standbyTokenFile)
    try await catchUp()
    load = try await StandbyLoad.open(at: primary.port, agentToken: tokens.agent, adminToken: tokens.admin)
    try await settle()
  }

  /// Whatever state all are in.
  func end() async {
    _ = await load?.end()
    await primary.endAtOnce()
    await standby.endAtOnce()
    await line.close()
  }

  /// What all have said last, for whoever reads a violation.
  var lastWords: String { primary.lastWords + "\n" + standby.lastWords }

  // MARK: Rounds

  func play(_ round: StandbyRound, seed: UInt64) async throws -> Outcome {
    guard let load else { throw ScriptViolation("nobody writes") }
    load.begin(at: await primary.port, standby: standby.name, seed: seed)
    try await sleep(round.loadMilliseconds)
    try await line.set(round.fault)
    try await sleep(round.faultMilliseconds)
    guard !round.blow.endsWithTakeover else { return try await takeOver(round, load) }
    if round.blow == .standby { try await standby.kill() }
    try await sleep(round.pauseMilliseconds)
    try await line.set(.whole)
    if round.blow == .standby { try await standby.follow(line, tokenFile: standbyTokenFile) }
    try await sleep(round.loadMilliseconds / 2)
    var outcome = Outcome()
    outcome.course = await load.end()
    try await settle()
    try await judge(load, nil, &outcome)
    return outcome
  }

  private func takeOver(_ round: StandbyRound, _ load: StandbyLoad) async throws -> Outcome {
    let (former, next) = (primary, standby)
    try await strike(round, former, next)
    try await line.set(.whole)
    var outcome = Outcome()
    let epoch = try await next.promote()
    outcome.violations += book.began(epoch)
    let end = try next.lastPosition()
    try await next.serve()
    try await line.lead(to: next.port)
    if round.blow == .relieved {
      try await sleep(round.pauseMilliseconds)
      outcome.violations += try await relieve(former, epoch)
    }
    outcome.course = await load.end()
    let told = outcome.course.acknowledgedPosition
    if told > end {
      outcome.violations.append("the primary had said that the standby has position \(told), and it ends at \(end)")
    }
    let (count, texts) = try former.content(after: end)
    outcome.asideCount = count
    try await bringBack(former, next, round, &outcome)
    try await judge(load, AcknowledgedTexts.Takeover(waits: waits, onlyThere: texts), &outcome)
    return outcome
  }

  /// The blow, and the end of the follower: with its line as it is, nothing more comes to it.
  private func strike(_ round: StandbyRound, _ former: StandbyNode, _ next: StandbyNode) async throws {
    if round.blow != .relieved { try await former.kill() }
    if round.blow == .both { return try await next.kill() }
    try await sleep(round.pauseMilliseconds)
    if round.stopsStandby { try await next.stop() } else { try await next.kill() }
  }

  /// Tells a primary that another one has taken over: it has to end, and never to start again.
  private func relieve(_ former: StandbyNode, _ epoch: UInt32) async throws -> [String] {
    var wrong: [String] = []
    let answer = try await NodeClient.with(former.port) { try await $0.tell(of: epoch, token: tokens.standby) }
    if let answer, answer != 409 { wrong.append("told of epoch \(epoch), the former primary answered \(answer)") }
    let status = try await former.statusAtEnd()
    if status != Self.relieved {
      wrong.append("told of epoch \(epoch), the former primary \(Self.ended(status))\n\(former.lastWords)")
    }
    let again = try await former.statusOfRefusedServer()
    if again != Self.relieved {
      wrong.append("relieved and started again, the former primary \(Self.ended(again))\n\(former.lastWords)")
    }
    return wrong
  }

  /// Makes the former primary the standby.
  private func bringBack(
    _ former: StandbyNode, _ next: StandbyNode, _ round: StandbyRound, _ outcome: inout Outcome
  ) async throws {
    if round.rejoinsFromServer {
      try await former.rejoin("http://127.0.0.1:\(line.port)", ["--token-file", standbyTokenFile])
    } else {
      try await former.rejoin(next.directory, [])
    }
    let status = try await former.statusOfRefusedServer()
    if status != Self.followsAnother {
      outcome.violations.append("on a standby's directory, a server \(Self.ended(status))\n\(former.lastWords)")
    }
    (primary, standby) = (next, former)
    try await former.follow(line, tokenFile: standbyTokenFile)
    try await settle()
    for node in [next, former] { try await node.verify() }
  }

  private static func ended(_ status: Int32?) -> String { status.map { "ended with \($0)" } ?? "went on" }

  // MARK: What has to be true

  private func judge(
    _ load: StandbyLoad, _ takeover: AcknowledgedTexts.Takeover?, _ outcome: inout Outcome
  ) async throws {
    for node in [primary, standby] {
      for (name, frames) in try node.frames() { outcome.violations += book.read(frames, of: name) }
    }
    let verdict = try await load.judge(at: primary.port, after: takeover)
    outcome.violations += outcome.course.violations + verdict.violations
    outcome.missingCount = verdict.missingCount
  }

  /// Waits until the standby has everything, as the primary says and as the files show.
  private func settle() async throws {
    try await catchUp()
    let (primary, standby) = (self.primary, self.standby)
    var difference: String?
    for _ in 0..<Self.settleTries {
      try await standby.requireRunning()
      difference = primary.difference(from: standby)
      guard difference != nil else { return }
      try await Task.sleep(for: Self.settleInterval)
    }
    throw ScriptViolation(
      "\(standby.name) has everything, and its files stay others than those of \(primary.name): \(difference ?? "")\n"
        + lastWords)
  }

  private func catchUp() async throws {
    let (primary, standby, token) = (self.primary, self.standby, tokens.admin)
    try await NodeClient.with(primary.port) { client in
      var last: NodeClient.Standing?
      for _ in 0..<Self.settleTries {
        try await primary.requireRunning()
        try await standby.requireRunning()
        last = try await client.standing(of: standby.name, token: token)
        if let last, last.isConnected, last.recordsBehind == 0 { return }
        try await Task.sleep(for: Self.settleInterval)
      }
      let standing = last.map { "\($0)" } ?? "not known"
      throw ScriptViolation("\(standby.name) does not catch up with \(primary.name): \(standing)\n\(lastWords)")
    }
  }

  private func sleep(_ milliseconds: Int) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }
}
