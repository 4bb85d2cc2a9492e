import CallbackDomain
import EventSourcing
import Foundation
import Testing

@Suite("Callback, erased")
struct EraseTests {
  /// Everything that can name somebody says MARK.
  private func marked(desired: Double? = nil) -> CallbackRequest {
    var request = CallbackRig.request(
      confirms: true, code: true,
      device: CallbackDevice(type: "ios", deviceID: "MARK-device", provider: "MARK-p", language: "MARK"),
      desired: desired)
    request.fields = [NameValuePair("_customer_number", "MARK-number"), NameValuePair("MARK-name", "value")]
    request.userKey = "MARK-user"
    request.isUserKeyMade = true
    request.accessCode = "MARK-code"
    request.accessNumber = "MARK-dial"
    request.language = "MARK-de"
    request.slot = desired.map { CallbackRig.time($0) }
    request.priority = 3
    return request
  }

  @Test("nothing marked is left in the state, in its bytes or in the event; its course is", arguments: Stage.allCases)
  func scrubbed(stage: Stage) throws {
    var rig = try stage.rig(marked(desired: stage == .scheduled ? 600 : nil))
    guard let request = rig.callback.request, !rig.callback.isForgotten else {
      #expect(try rig.when(.erase, at: 35) == CallbackRig.Turn())
      return
    }
    let before = rig.callback
    let turn = try rig.when(.erase, at: 35)
    let callback = rig.callback
    #expect(turn.events.last == .erased(state: callback.stateBytes))
    #expect(turn.effects.suffix(2) == [.setAlarm(at: callback.keptUntil ?? .epoch), .changed(.updated)])
    #expect(turn.effects.contains(.changed(.completed(.cancelled))) == (stage != .completed))
    for bytes in [
      callback.stateBytes, rig.journal.last?.event.payload ?? [], [UInt8](try JSONEncoder().encode(callback)),
    ] {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("MARK"))
    }
    var left = CallbackRequest(serviceName: "sales", userKey: "")
    left.terms = request.terms
    left.desiredTime = request.desiredTime
    left.slot = request.slot
    left.priority = 3
    #expect(callback.request == left && callback.note.isEmpty)
    #expect(callback.status == .completed && callback.reason == .cancelled)
    #expect(callback.createdAt == before.createdAt && callback.queuedAt == before.queuedAt)
    #expect(callback.expiresAt == before.expiresAt && callback.pushCount == before.pushCount)
    #expect(callback.keptUntil == CallbackRig.time((stage == .completed ? 30 : 35) + 86_400))

    #expect(try rig.replayed() == callback)
    #expect(try rig.replayedFromRestatement() == callback)
    // It comes every time: the one before may be among the records that are about to go.
    #expect(try rig.when(.erase, at: 36).events.map(\.tag) == [16])
    #expect(try rig.when(.alarm, at: 35 + 86_400).events == [.forgotten])
  }

  @Test("the note goes too")
  func note() throws {
    var rig = try CallbackRig.given()
    try rig.when(.cancel(note: "MARK said so"), at: 1)
    try rig.when(.erase, at: 2)
    #expect(rig.callback.note.isEmpty && rig.callback.reason == .cancelled)
  }
}
