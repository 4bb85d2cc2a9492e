import EventSourcing
import SupportDomain
import Testing

@Suite("Support request, changed")
struct RequestChangeTests {
  // MARK: Who may change what

  static let ofAgents: [(command: SupportRequestCommand, field: String)] =
    SupportStatus.allCases.filter { $0 != .solved }.map { (.change(by: .endUser, status: $0), "status") } + [
      (.change(by: .endUser, .ann(), status: .closed), "status"),
      (.change(by: .endUser, .ann(), tags: []), "tags"),
      (.change(by: .endUser, fields: [SupportField(1, "1")]), "custom_fields"),
      (.change(by: .endUser, assignee: 9), "assignee_id"),
    ]

  @Test("an end user changes nothing that is for agents", arguments: ofAgents)
  func notAllowed(command: SupportRequestCommand, field: String) throws {
    var rig = try RequestRig.given()
    let before = rig.state
    #expect(throws: SupportRequestRejection.notAllowed(field: field)) { try rig.when(command) }
    #expect(rig.state == before)
  }

  @Test("an end user may say that it is solved")
  func solved() throws {
    var rig = try RequestRig.given()
    #expect(
      try rig.when(.change(by: .endUser, .ann("Thanks."), status: .solved)).events.last == .updated(.solved))
    #expect(rig.state.status == .solved)
  }

  @Test("an end user speaks in public, and for no agent")
  func impostor() throws {
    var rig = try RequestRig.given()
    let turn = try rig.when(.change(by: .endUser, .bob("I am Bob.", isPublic: false)))
    #expect(turn.effects == [.changed(.commented(number: 2))], "nobody is told of a requester's own comment")
    let comment = try rig.state.comment(2)
    #expect(comment.isPublic && comment.role == .endUser)
  }

  @Test("an agent may write down what an end user said")
  func onBehalf() throws {
    var rig = try RequestRig.given(status: .pending)
    let turn = try rig.when(.change(by: .agent, .ann("By phone.")))
    #expect(turn.effects == [.changed(.commented(number: 2)), .changed(.updated)])
    #expect(rig.state.status == .open)
  }

  static let onClosed: [SupportRequestCommand] = [
    .answer(), .change(by: .endUser, .ann()), .change(by: .agent, status: .open), .change(by: .agent),
    .change(by: .endUser, tags: ["x"]),
  ]

  @Test("nothing is added to a closed one", arguments: onClosed)
  func closed(command: SupportRequestCommand) throws {
    var rig = try RequestRig.given(status: .closed)
    #expect(throws: SupportRequestRejection.closed) { try rig.when(command) }
    #expect(try rig.when(.read(upTo: 1, device: 1)).events == [.read(upTo: 1, device: 1)])
  }

  // MARK: Status

  static let statuses: [(from: SupportStatus, by: SupportCommentDraft, to: SupportStatus)] = [
    (.new, .bob(), .open), (.new, .bob(isPublic: false), .open), (.new, .ann(), .new), (.open, .bob(), .open),
    (.open, .ann(), .open), (.pending, .bob(), .pending), (.pending, .ann(), .open), (.hold, .bob(), .hold),
    (.hold, .ann(), .open), (.solved, .bob(), .solved), (.solved, .ann(), .open),
  ]

  @Test("a comment opens it where its turn is over", arguments: statuses)
  func follows(from: SupportStatus, by draft: SupportCommentDraft, to: SupportStatus) throws {
    var rig = try RequestRig.given(status: from)
    let events = try rig.when(.change(by: draft.role, draft, notice: .of(isOn: false))).events
    #expect(events.dropFirst() == (from == to ? [] : [.updated(to)]))
    #expect(rig.state.status == to)
  }

  @Test("a status that is named holds, also the one that it has", arguments: SupportStatus.allCases)
  func named(status: SupportStatus) throws {
    var rig = try RequestRig.given(status: .new)
    try rig.when(.change(by: .agent, .bob(), status: status))
    #expect(rig.state.status == status)
  }

  // MARK: Differences

  static let differences: [(command: SupportRequestCommand, events: [SupportRequestEvent])] = [
    (.change(by: .agent), []), (.change(by: .agent, status: .open), []), (.change(by: .agent, tags: ["a", "b"]), []),
    (.change(by: .agent, tags: []), [.updated(tags: [])]),
    (.change(by: .agent, tags: ["b", "a"]), [.updated(tags: ["b", "a"])]),
    (.change(by: .agent, fields: [SupportField(1, "1")]), []),
    (.change(by: .agent, fields: [SupportField(1, "2"), SupportField(1, "1")]), []),
    (
      .change(by: .agent, fields: [SupportField(3, "3"), SupportField(1, "1"), SupportField(2, "null")]),
      [.updated(fields: [SupportField(2, "null"), SupportField(3, "3")])]
    ),
    (.change(by: .agent, assignee: 9), []), (.change(by: .agent, assignee: 8), [.updated(assignee: 8)]),
    (
      .change(by: .agent, status: .hold, tags: ["a"], fields: [SupportField(1, "{}")], assignee: 4),
      [.updated(.hold, tags: ["a"], fields: [SupportField(1, "{}")], assignee: 4)]
    ),
  ]

  private func tagged() throws -> RequestRig {
    var rig = try RequestRig.given()
    try rig.when(
      .change(by: .agent, tags: ["a", "b"], fields: [SupportField(1, "1"), SupportField(2, "2")], assignee: 9))
    return rig
  }

  @Test("only what differs is recorded", arguments: differences)
  func differs(command: SupportRequestCommand, events: [SupportRequestEvent]) throws {
    var rig = try tagged()
    #expect(try rig.when(command) == RequestRig.Turn(events, events.map { _ in .changed(.updated) }))
    #expect(try rig.when(command) == RequestRig.Turn(), "the same again is no change")
  }

  @Test("a field that changes keeps its place; a new one comes last")
  func places() throws {
    var rig = try tagged()
    try rig.when(.change(by: .agent, fields: [SupportField(3, "3"), SupportField(1, "0")]))
    #expect(rig.state.fields == [SupportField(1, "0"), SupportField(2, "2"), SupportField(3, "3")])
  }

  static let versions: [(command: SupportRequestCommand, version: Int, publicVersion: Int)] = [
    (.change(by: .endUser, .ann()), 1, 1), (.answer(.of(isOn: false)), 1, 1),
    (.change(by: .agent, .bob(isPublic: false)), 1, 0), (.change(by: .agent, assignee: 3), 1, 0),
    (.change(by: .agent, status: .hold), 1, 1), (.change(by: .agent, tags: []), 1, 1),
    (.change(by: .agent, fields: [SupportField(9, "9")], assignee: 3), 1, 1),
    (.change(by: .agent, .bob(), status: .hold, notice: .of(isOn: false)), 2, 2),
    (.read(upTo: 1, device: 1), 0, 0), (.restate, 0, 0),
  ]

  @Test("the requester's version rises only with what the requester can see", arguments: versions)
  func version(command: SupportRequestCommand, version: Int, publicVersion: Int) throws {
    var rig = try tagged()
    let before = rig.state
    try rig.when(command, at: 60)
    #expect(rig.state.version == before.version + version)
    #expect(rig.state.publicVersion == before.publicVersion + publicVersion)
    #expect(rig.state.updatedAt == (version > 0 ? .second(60) : before.updatedAt))
    #expect(rig.state.publicUpdatedAt == (publicVersion > 0 ? .second(60) : before.publicUpdatedAt))
    #expect(rig.state.createdAt == .second(0))
  }

  // MARK: Reports and files

  static let reports: [(command: SupportRequestCommand, duties: [SupportDuty])] = [
    (.change(by: .endUser, .ann(), reports: true), [.report(1, .commented, 2)]),
    (
      .change(by: .agent, .bob(files: 1, isPublic: false), reports: true),
      [.report(1, .commented, 2), .keepFiles(2, 2)]
    ),
    (.change(by: .agent, .bob(isPublic: false), status: .hold, reports: true), [.report(1, .commented, 2)]),
    (.change(by: .agent, status: .hold, reports: true), [.report(1, .updated, nil)]),
    (.change(by: .agent, status: .open, reports: true), []), (.change(by: .agent, status: .hold), []),
    (.change(by: .endUser, .ann(files: 2)), [.keepFiles(1, 2)]),
  ]

  @Test("a change is reported once, and files are kept", arguments: reports)
  func reported(command: SupportRequestCommand, duties: [SupportDuty]) throws {
    var rig = try RequestRig.given()
    let turn = try rig.when(command)
    #expect(rig.state.duties == duties)
    #expect(turn.effects.filter { if case .perform = $0 { true } else { false } } == duties.map { .perform($0) })
  }

  @Test("what is owed stays until it is safe elsewhere, and numbers never come back")
  func handedOver() throws {
    var rig = RequestRig()
    try rig.when(.create(.of(), .ann(files: 1), reports: true))
    #expect(try rig.when(.handedOver(number: 2)) == RequestRig.Turn([.handedOver(number: 2)]))
    #expect(try rig.when(.handedOver(number: 2)) == RequestRig.Turn())
    #expect(try rig.when(.handedOver(number: 3)) == RequestRig.Turn())
    try rig.when(.handedOver(number: 1))
    #expect(rig.state.rest == .asleep(until: nil) && rig.state.highestDuty == 2)
    try rig.when(.change(by: .endUser, .ann(), reports: true))
    #expect(rig.state.duties == [.report(3, .commented, 2)])
  }

  // MARK: Limits

  @Test("comments, fields and what is owed are bounded")
  func limits() throws {
    var limits = SupportRequestLimits()
    limits.commentsMaximum = 2
    limits.fieldsMaximum = 1
    limits.dutiesMaximum = 1
    var rig = try RequestRig.given()
    try rig.when(.change(by: .endUser, .ann(), limits: limits))
    #expect(throws: SupportRequestRejection.tooManyComments(limit: 2)) {
      try rig.when(.change(by: .endUser, .ann(), limits: limits))
    }
    try rig.when(.change(by: .agent, fields: [SupportField(1, "1")], limits: limits))
    #expect(throws: SupportRequestRejection.tooManyFields(limit: 1)) {
      try rig.when(.change(by: .agent, fields: [SupportField(2, "2")], limits: limits))
    }
    try rig.when(.change(by: .agent, fields: [SupportField(1, "2")], reports: true, limits: limits))
    #expect(throws: SupportRequestRejection.tooManyOwed(limit: 1)) {
      try rig.when(.change(by: .agent, status: .hold, limits: limits))
    }
    try rig.when(.handedOver(number: 1))
    try rig.when(.change(by: .agent, status: .hold, limits: limits))
  }

  @Test("who has more fields than allowed by now may still change them")
  func fewerFields() throws {
    var rig = try tagged()
    var limits = SupportRequestLimits()
    limits.fieldsMaximum = 1
    try rig.when(.change(by: .agent, fields: [SupportField(2, "3")], limits: limits))
    #expect(rig.state.fields.last == SupportField(2, "3"))
  }

  // MARK: Reading

  static let reads: [(upTo: Int, device: Int?, read: Int?)] = [
    (2, nil, 2), (2, 1, 2), (1, 2, 1), (99, 1, 3), (.max, nil, 3), (0, 1, nil), (-1, nil, nil), (2, 0, nil),
    (2, -1, nil),
  ]

  @Test("reading goes as far as there are comments", arguments: reads)
  func read(upTo: Int, device: Int?, read: Int?) throws {
    var rig = try RequestRig.given()
    for _ in 2...3 { try rig.when(.change(by: .endUser, .ann())) }
    #expect(
      try rig.when(.read(upTo: upTo, device: device))
        == (read.map { RequestRig.Turn([.read(upTo: $0, device: device)], [.noted]) } ?? RequestRig.Turn()))
    #expect(rig.state.reads.map(\.comment) == (read.map { [$0] } ?? []))
  }

  @Test("reading goes only forwards, for each device of its own")
  func forwards() throws {
    var rig = try RequestRig.given()
    for _ in 2...3 { try rig.when(.change(by: .endUser, .ann())) }
    try rig.when(.read(upTo: 2, device: 1))
    #expect(try rig.when(.read(upTo: 1, device: 1)) == RequestRig.Turn())
    #expect(try rig.when(.read(upTo: 2, device: 1)) == RequestRig.Turn())
    try rig.when(.read(upTo: 1, device: nil))
    try rig.when(.read(upTo: 3, device: 1))
    #expect(rig.state.reads.map(\.device) == [nil, 1] && rig.state.reads.map(\.comment) == [1, 3])
  }

  @Test("of many devices, the one that was heard of longest ago is forgotten")
  func manyReads() throws {
    var rig = try RequestRig.given()
    try rig.when(.change(by: .endUser, .ann()))
    for device in 1...32 { try rig.when(.read(upTo: 1, device: device)) }
    try rig.when(.read(upTo: 2, device: 1))
    try rig.when(.read(upTo: 1, device: 33))
    #expect(rig.state.reads.map(\.device) == Array(3...32) + [1, 33])
  }
}
