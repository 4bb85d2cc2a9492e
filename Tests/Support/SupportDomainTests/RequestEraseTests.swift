import EventSourcing
import SupportDomain
import Testing

@Suite("Support request, erased or restated")
struct RequestEraseTests {
  /// With something in every field.
  static func full() throws -> RequestRig {
    var rig = RequestRig()
    let terms = SupportRequestTerms(
      requester: 7, channel: .mobileSDK, app: "mobile", subject: "The lamp is dark", formID: 3,
      metadata: Array("{}".utf8), transcript: SupportTranscript(serviceID: "sales", chatID: "c-1", position: 12))
    try rig.when(
      .create(terms, .ann("Look!", files: 2), tags: ["lamp"], fields: [SupportField(1, "1")], reports: true))
    try rig.when(.change(by: .agent, .bob("Hm", files: 1), assignee: 9, reports: true), at: 1)
    try rig.when(.read(upTo: 2, device: 1), at: 2)
    try rig.when(.read(upTo: 1, device: nil), at: 2)
    try rig.when(.answer(.of(grace: 2), "Light!"), at: 3)
    try rig.when(.refreshed(comment: 3, device: 2), at: 3)
    return rig
  }

  @Test("what is left is that there was one; its files are dropped")
  func erased() throws {
    var rig = try Self.full()
    let before = rig.state
    let tokens = ["Look!-0", "Look!-1", "Hm-0"]
    let turn = try rig.when(.erase, at: 4)
    #expect(turn.events.map(\.tag) == [9])
    #expect(turn.effects == [.cancelAlarm, .dropFiles(tokens: tokens), .noted])
    let request = rig.state
    #expect(request.terms == nil && request.comments == [] && request.tags == [] && request.fields == [])
    #expect(request.reads == [] && request.waiting == [] && request.duties == [] && request.assignee == nil)
    #expect(request.createdAt == before.createdAt && request.updatedAt == before.updatedAt)
    #expect(request.publicUpdatedAt == before.publicUpdatedAt && request.highestDuty == before.highestDuty)
    #expect(request.version == before.version && request.publicVersion == before.publicVersion)
    let text = String(decoding: StoredEvent(turn.events[0]).payload, as: UTF8.self)
    #expect(!["lamp", "mobile", "sales", "Light"].contains { text.contains($0) })
  }

  @Test("files are dropped anew after a restart, until it is said that they are gone")
  func filesDropped() throws {
    var rig = try Self.full()
    try rig.when(.erase)
    #expect(rig.state.rest == .wakeful)
    #expect(try rig.replayed().outstandingEffects == [.dropFiles(tokens: rig.state.orphans)])
    #expect(try rig.when(.filesDropped) == RequestRig.Turn([.filesDropped]))
    #expect(rig.state.rest == .asleep(until: nil) && rig.state.outstandingEffects == [])
    #expect(try rig.when(.filesDropped) == RequestRig.Turn())
  }

  @Test("one without files is simply gone")
  func withoutFiles() throws {
    var rig = try RequestRig.given()
    #expect(try rig.when(.erase).effects == [.cancelAlarm, .noted])
    #expect(rig.state.rest == .asleep(until: nil))
  }

  static let commands: [SupportRequestCommand] = [
    .create(), .refreshed(comment: 3, device: 1), .due(parts: [.german]), .read(upTo: 1, device: nil),
    .handedOver(number: 1), .erase,
  ]

  @Test("it never comes back", arguments: commands)
  func never(command: SupportRequestCommand) throws {
    var rig = try Self.full()
    try rig.when(.erase)
    #expect(try rig.when(command, at: 60) == RequestRig.Turn())
    #expect(throws: SupportRequestRejection.unknown) { try rig.when(.answer()) }
    #expect(throws: SupportRequestRejection.unknown) { try rig.when(.change(by: .endUser, .ann())) }
  }

  @Test("a restatement is the whole request, whatever comes before and after", arguments: [false, true])
  func restated(isErased: Bool) throws {
    var rig = try Self.full()
    if isErased { try rig.when(.erase) }
    let before = rig.state
    #expect(try rig.when(.restate, at: 5).events == [.erased(state: before.stateBytes)])
    #expect(rig.state == before)
    #expect(try rig.replayedFromRestatement() == before)
    try rig.when(.due(parts: [.german]), at: 9)
    #expect(try rig.replayedFromRestatement() == rig.state)
    #expect(try rig.replayed() == rig.state)
  }

  @Test("a restatement of one that lives takes nothing from it")
  func restatedEffects() throws {
    var rig = try Self.full()
    #expect(try rig.when(.restate).effects == [.noted])
    #expect(rig.state.outstandingEffects.last == .alarm(5))
  }
}
