import EventSourcing
import SupportDomain
import Testing

@Suite("Support request, commented by an agent")
struct RequestNotificationTests {
  typealias Turn = RequestRig.Turn
  private static let duties: [SupportDuty] = [.notify(1, 2, .german), .notify(2, 2, .plain)]

  @Test("whoever has devices is told at once, each language by itself")
  func atOnce() throws {
    var rig = try RequestRig.given()
    let turn = try rig.when(.answer())
    #expect(
      turn
        == Turn(
          [
            .commentAdded(try rig.state.comment(2), noticeAt: nil, duties: []),
            .notificationPlanned(comment: 2, duties: Self.duties),
          ],
          [.changed(.commented(number: 2)), .publish(comment: 2)] + Self.duties.map { .perform($0) } + [.cancelAlarm]))
    #expect(rig.state.duties == Self.duties && rig.state.waiting == [] && rig.state.rest == .wakeful)
  }

  @Test("report, files and notifications are numbered in this order, after all that was ever owed")
  func numbers() throws {
    var rig = try RequestRig.given(duties: true)
    try rig.when(.handedOver(number: 1))
    let events = try rig.when(.change(by: .agent, .bob(files: 1), status: .hold, reports: true)).events
    #expect(events.map(\.tag) == [2, 3, 4])
    #expect(
      rig.state.duties == [
        .report(2, .commented, 2), .keepFiles(3, 2), .notify(4, 2, .german), .notify(5, 2, .plain),
      ])
  }

  // MARK: The four conditions. Spec: support requests 4

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var terms = SupportRequestTerms.of()
    var command = SupportRequestCommand.answer()
    /// Events after the comment.
    var events: [SupportRequestEvent] = []
    var isPublished = false
  }

  static let cases: [Case] =
    SupportChannel.allCases.filter { $0 != .mobileSDK }.map { Case(testDescription: "made by \($0)", terms: .of($0)) }
    + [
      Case(testDescription: "a private note", command: .change(by: .agent, .bob(isPublic: false))),
      Case(testDescription: "the requester's own comment", command: .change(by: .endUser, .ann())),
      Case(testDescription: "the requester's, by an agent's hand", command: .change(by: .agent, .ann())),
      Case(testDescription: "no app", terms: .of(app: nil), isPublished: true),
      Case(testDescription: "no integration", command: .answer(.of(isOn: false)), isPublished: true),
      Case(
        testDescription: "no device", command: .answer(.of([])),
        events: [.notificationSuppressed(comment: 2, .noDevices, devices: [])], isPublished: true),
      Case(
        testDescription: "a part without a device",
        command: .answer(.of([SupportPartDraft(integration: .direct, devices: [], language: nil)])),
        events: [.notificationSuppressed(comment: 2, .noDevices, devices: [])], isPublished: true),
    ]

  @Test("nobody is told", arguments: cases, [0, 2])
  func untold(example: Case, grace: Int) throws {
    var rig = try RequestRig.given(example.terms)
    guard case .change(let change, var notice, let reports, let limits) = example.command else { return }
    notice.grace = .seconds(grace)
    let turn = try rig.when(.change(change, notice: notice, reports: reports, limits: limits))
    #expect(turn.effects.contains(.publish(comment: 2)) == example.isPublished)
    if grace > 0, !example.events.isEmpty {
      #expect(rig.state.waiting.map(\.at) == [.second(2)], "what devices there are is asked when the grace is over")
      #expect(try rig.when(.due(parts: notice.parts), at: 2).events == example.events)
    } else {
      #expect(Array(turn.events.dropFirst()) == example.events)
    }
    #expect(rig.state.waiting == [] && rig.state.duties == [])
  }

  static let others: [SupportRequestCommand] = [
    .change(by: .agent, status: .solved), .change(by: .agent, assignee: 3), .change(by: .agent, tags: ["x"]),
    .change(by: .agent, fields: [SupportField(1, "1")]),
  ]

  @Test("nobody is told of what is no comment", arguments: others)
  func noComment(command: SupportRequestCommand) throws {
    var rig = try RequestRig.given()
    #expect(try rig.when(command).effects == [.changed(.updated)])
    #expect(rig.state.duties == [] && rig.state.waiting == [])
  }

  // MARK: The grace. Spec: support requests 6.2

  @Test("with an open stream the notification waits, and goes out when nobody has acknowledged")
  func unacknowledged() throws {
    var rig = try RequestRig.given()
    let turn = try rig.when(.answer(.of(grace: 2)), at: 10)
    #expect(
      turn
        == Turn(
          [.commentAdded(try rig.state.comment(2), noticeAt: .second(12), duties: [])],
          [.changed(.commented(number: 2)), .publish(comment: 2), .alarm(12)]))
    #expect(rig.state.rest == .wakeful && rig.state.outstandingEffects == [.alarm(12)])
    #expect(
      try rig.when(.due(parts: [.german, .plain]), at: 12)
        == Turn(
          [.notificationPlanned(comment: 2, duties: Self.duties)],
          Self.duties.map { .perform($0) } + [.cancelAlarm]))
    #expect(rig.state.outstandingEffects == Self.duties.map { .perform($0) })
    #expect(try rig.when(.due(parts: [.german]), at: 13) == Turn(), "once")
  }

  @Test("the device that has shown the comment is left out")
  func acknowledged() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)))
    #expect(try rig.when(.refreshed(comment: 2, device: 1), at: 1) == Turn([.refreshed(comment: 2, device: 1)]))
    let left: [SupportDuty] = [.notify(1, 2, .plain)]
    #expect(
      try rig.when(.due(parts: [.german, .plain]), at: 2)
        == Turn(
          [
            .notificationPlanned(comment: 2, duties: left),
            .notificationSuppressed(comment: 2, .refreshed, devices: [1]),
          ], [.perform(left[0]), .cancelAlarm, .suppressed(.refreshed, devices: 1), .cancelAlarm]))
    #expect(rig.state.waiting == [] && rig.state.duties == left)
  }

  @Test("a part keeps those of its devices that have not shown it")
  func partOfAPart() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)))
    try rig.when(.refreshed(comment: 2, device: 2), at: 1)
    func part(_ devices: [Int]) -> SupportPartDraft {
      SupportPartDraft(integration: .direct, devices: devices, language: "de-at")
    }
    #expect(
      try rig.when(.due(parts: [part([1, 2, 3])]), at: 2).events == [
        .notificationPlanned(comment: 2, duties: [.notify(1, 2, part([1, 3]))]),
        .notificationSuppressed(comment: 2, .refreshed, devices: [2]),
      ])
  }

  @Test("if all have shown it, nothing goes out")
  func allAcknowledged() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)))
    for device in [1, 2, 3] { try rig.when(.refreshed(comment: 2, device: device), at: 1) }
    #expect(
      try rig.when(.due(parts: [.german, .plain]), at: 2)
        == Turn(
          [.notificationSuppressed(comment: 2, .refreshed, devices: [1, 2])],
          [.suppressed(.refreshed, devices: 2), .cancelAlarm]))
    #expect(rig.state.waiting == [] && rig.state.duties == [] && rig.state.rest == .asleep(until: nil))
  }

  static let worthless: [(comment: Int, device: Int)] = [(1, 1), (3, 1), (2, 1), (2, 0), (2, -1), (0, 2), (.min, .min)]

  @Test("an acknowledgement counts once, for a comment that waits, from a device", arguments: worthless)
  func worthlessAcknowledgement(comment: Int, device: Int) throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)))
    try rig.when(.refreshed(comment: 2, device: 1))
    #expect(try rig.when(.refreshed(comment: comment, device: device)) == Turn())
  }

  @Test("an acknowledgement that is late changes nothing")
  func lateAcknowledgement() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)))
    try rig.when(.due(parts: [.german]), at: 2)
    #expect(try rig.when(.refreshed(comment: 2, device: 1), at: 2) == Turn())
  }

  @Test("an alarm that is early by the calendar is set anew")
  func early() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)))
    #expect(try rig.when(.due(parts: [.german]), at: 1.999) == Turn([.alarmPutOff], [.alarm(2)]))
    #expect(rig.state.waiting.count == 1)
  }

  @Test("of several, each goes out when its grace is over, in order")
  func several() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)), at: 0)
    #expect(try rig.when(.answer(.of(grace: 2)), at: 1).effects.last == .alarm(2), "the earliest alarm stands")
    try rig.when(.answer(.of(grace: 2)), at: 5)
    #expect(
      try rig.when(.due(parts: [.german]), at: 3)
        == Turn(
          [
            .notificationPlanned(comment: 2, duties: [.notify(1, 2, .german)]),
            .notificationPlanned(comment: 3, duties: [.notify(2, 3, .german)]),
          ], [.perform(.notify(1, 2, .german)), .alarm(3), .perform(.notify(2, 3, .german)), .alarm(7)]))
    #expect(
      rig.state.outstandingEffects == [
        .perform(.notify(1, 2, .german)), .perform(.notify(2, 3, .german)), .alarm(7),
      ])
  }

  @Test("one that could go at once waits for those before it", arguments: [0, 1])
  func inOrder(grace: Int) throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 5)), at: 0)
    let turn = try rig.when(.answer(.of(grace: grace)), at: 1)
    #expect(turn.events == [.commentAdded(try rig.state.comment(3), noticeAt: .second(5), duties: [])])
    #expect(try rig.when(.due(parts: [.german]), at: 5).events.map(\.tag) == [4, 4])
    #expect(rig.state.duties == [.notify(1, 2, .german), .notify(2, 3, .german)])
  }

  @Test("one behind an alarm that is overdue waits for it, and no longer")
  func overdue() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: 2)), at: 0)
    try rig.when(.answer(.of()), at: 60)
    #expect(rig.state.waiting.map(\.at) == [.second(2), .second(60)])
    #expect(try rig.when(.due(parts: [.german]), at: 60).events.map(\.tag) == [4, 4])
  }

  // MARK: Coalescing

  @Test("a newer comment's notification takes the place of one that waits")
  func coalesced() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(coalescing: 10)), at: 0)
    let turn = try rig.when(.answer(.of(coalescing: 10)), at: 4)
    #expect(
      turn
        == Turn(
          [
            .commentAdded(try rig.state.comment(3), noticeAt: .second(14), duties: []),
            .notificationSuppressed(comment: 2, .coalesced, devices: []),
          ],
          [
            .changed(.commented(number: 3)), .publish(comment: 3), .alarm(10), .suppressed(.coalesced, devices: 0),
            .alarm(14),
          ]))
    #expect(try rig.when(.due(parts: [.german]), at: 14).events.map(\.tag) == [4])
    #expect(rig.state.duties == [.notify(1, 3, .german)])
  }

  @Test("the longer of grace and coalescing holds", arguments: [(3, 1, 3.0), (1, 3, 3), (0, 2, 2), (-5, 1, 1)])
  func longer(grace: Int, coalescing: Int, moment: Double) throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of(grace: grace, coalescing: coalescing)))
    #expect(rig.state.waiting.map(\.at) == [.second(moment)])
  }

  @Test("what is planned already is not taken back, nor what nobody is told of put in its place")
  func notCoalesced() throws {
    var rig = try RequestRig.given()
    try rig.when(.answer(.of()), at: 0)
    try rig.when(.answer(.of(coalescing: 10)), at: 1)
    #expect(rig.state.duties == Self.duties && rig.state.waiting.map(\.comment) == [3])
    try rig.when(.change(by: .agent, .bob(isPublic: false), notice: .of(coalescing: 10)), at: 2)
    try rig.when(.change(by: .endUser, .ann(), notice: .of(coalescing: 10)), at: 2)
    #expect(rig.state.waiting.map(\.comment) == [3])
  }

  @Test("a wait that never ends is only very long")
  func endless() throws {
    var rig = try RequestRig.given()
    var notice = SupportNotice.of()
    notice.grace = .seconds(Int64.max)
    try rig.when(.answer(notice))
    #expect(rig.state.waiting.map(\.at) == [Timestamp(milliseconds: .max)])
  }
}
