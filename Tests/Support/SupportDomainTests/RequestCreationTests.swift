import EventSourcing
import SupportDomain
import Testing

@Suite("Support request, being made")
struct RequestCreationTests {
  @Test("it begins with its first comment, new and in version 1")
  func begins() throws {
    var rig = RequestRig()
    let comment = SupportComment(
      number: 1, author: 7, role: .endUser, isPublic: true, body: "Why?", attachments: [], createdAt: .second(5))
    let fields = [SupportField(1, "true"), SupportField(2, #""x""#)]
    #expect(
      try rig.when(.create(.of(), .ann(), tags: ["lamp"], fields: fields, reports: false), at: 5)
        == RequestRig.Turn(
          [.created(.of(), comment, tags: ["lamp"], fields: fields, duties: [])], [.changed(.created)]))
    let request = rig.state
    #expect(request.terms == .of() && request.status == .new && request.tags == ["lamp"] && request.fields == fields)
    #expect(request.comments == [comment] && request.publicComments == [comment] && request.assignee == nil)
    #expect(request.version == 1 && request.publicVersion == 1 && request.highestDuty == 0)
    #expect(
      request.createdAt == .second(5) && request.updatedAt == .second(5) && request.publicUpdatedAt == .second(5))
    #expect(request.rest == .asleep(until: nil) && request.outstandingEffects == [] && !request.isFinished)
  }

  static let debts: [(reports: Bool, files: Int, duties: [SupportDuty])] = [
    (false, 0, []), (true, 0, [.report(1, .created, 1)]), (false, 2, [.keepFiles(1, 1)]),
    (true, 1, [.report(1, .created, 1), .keepFiles(2, 1)]),
  ]

  @Test("whoever follows is told, and files are kept", arguments: debts)
  func duties(reports: Bool, files: Int, duties: [SupportDuty]) throws {
    var rig = RequestRig()
    let turn = try rig.when(.create(.of(), .ann(files: files), reports: reports))
    #expect(turn.effects == [.changed(.created)] + duties.map { .perform($0) })
    #expect(rig.state.duties == duties && rig.state.highestDuty == duties.count)
    #expect(rig.state.outstandingEffects == duties.map { .perform($0) })
    #expect(rig.state.rest == (duties.isEmpty ? .asleep(until: nil) : .wakeful))
  }

  @Test("it is made once")
  func once() throws {
    var rig = try RequestRig.given()
    #expect(try rig.when(.create(.of(.web), .bob()), at: 1) == RequestRig.Turn())
  }

  @Test("the later of two values of a field wins")
  func fields() throws {
    var rig = RequestRig()
    let fields = [SupportField(1, "1"), SupportField(2, "2"), SupportField(1, "3")]
    try rig.when(.create(.of(), .ann(), tags: [], fields: fields, reports: false))
    #expect(rig.state.fields == [SupportField(1, "3"), SupportField(2, "2")])
  }

  static let drafts: [(draft: SupportCommentDraft, isPublic: Bool)] = [
    (.ann(), true), (.bob(), true), (.bob(isPublic: false), false),
    (
      {
        var draft = SupportCommentDraft.ann(); draft.isPublic = false; return draft
      }(), true
    ),
  ]

  @Test("only an agent can begin in private, and nobody is told of a beginning", arguments: drafts)
  func isPublic(draft: SupportCommentDraft, isPublic: Bool) throws {
    var rig = RequestRig()
    #expect(try rig.when(.create(.of(), draft)).effects == [.changed(.created)])
    #expect(try rig.state.comment(1).isPublic == isPublic)
    #expect(rig.state.publicComments.isEmpty == !isPublic)
  }

  static let commands: [SupportRequestCommand] = [
    .refreshed(comment: 1, device: 1), .due(parts: [.german]), .read(upTo: 1, device: nil), .handedOver(number: 1),
    .erase, .filesDropped,
  ]

  @Test("before that it is unknown, and nothing happens to it", arguments: commands)
  func absent(command: SupportRequestCommand) throws {
    var rig = RequestRig()
    #expect(throws: SupportRequestRejection.unknown) { try rig.when(.answer()) }
    #expect(try rig.when(command) == RequestRig.Turn())
    #expect(rig.state == SupportRequest())
  }
}
