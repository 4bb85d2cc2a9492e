import CallbackDomain
import EventSourcing
import Testing

@Suite("Callback, made")
struct CreateTests {
  typealias Turn = CallbackRig.Turn

  struct Row: Sendable, CustomTestStringConvertible {
    let direction: CallDirection
    let media: CallbackMedia
    let waits: Bool
    let desired: Double?
    let status: CallbackStatus

    init(
      _ direction: CallDirection, _ media: CallbackMedia, waits: Bool, at desired: Double? = nil,
      _ status: CallbackStatus
    ) {
      self.direction = direction
      self.media = media
      self.waits = waits
      self.desired = desired
      self.status = status
    }

    var testDescription: String { "\(direction) \(media) waits \(waits) at \(desired ?? 0): \(status)" }
  }

  /// Spec: GMS 9.1. The buffer is 120 s.
  static let rows: [Row] = [
    Row(.userOriginated, .voice, waits: false, .routing),
    Row(.userOriginated, .voice, waits: true, .queued),
    Row(.userTerminated, .voice, waits: false, .queued),
    Row(.userTerminated, .voice, waits: true, .queued),
    Row(.userTerminated, .voice, waits: true, at: 3_600, .scheduled),
    Row(.userTerminated, .voice, waits: false, at: 3_600, .scheduled),
    Row(.userOriginated, .chat, waits: false, .queued),
    Row(.userTerminated, .chat, waits: false, .queued),
    Row(.userOriginated, .chat, waits: true, .queued),
    // A future time counts for every kind; what is due within the buffer, or past, is at once.
    Row(.userOriginated, .voice, waits: false, at: 3_600, .scheduled),
    Row(.userOriginated, .chat, waits: true, at: 120.001, .scheduled),
    Row(.userOriginated, .voice, waits: false, at: 120, .routing),
    Row(.userTerminated, .voice, waits: true, at: 120, .queued),
    Row(.userTerminated, .voice, waits: true, at: -3_600, .queued),
  ]

  @Test("begins where its terms and its time say, asked first or not", arguments: rows, [true, false])
  func firstStatus(row: Row, confirms: Bool) throws {
    let request = CallbackRig.request(
      row.direction, row.media, waits: row.waits, confirms: confirms, desired: row.desired)
    var rig = CallbackRig()
    let turn = try rig.when(.create(request), at: 0)
    let callback = rig.callback
    #expect(callback.status == row.status && callback.request == request && callback.createdAt == CallbackRig.time(0))
    let due = row.status == .scheduled ? row.desired.map { $0 - 120 } : nil
    #expect(callback.dueAt == due.map { CallbackRig.time($0) })
    #expect(callback.queuedAt == (row.status == .scheduled ? nil : CallbackRig.time(0)))
    let end = 86_400 + max(0, row.desired ?? 0)
    #expect(callback.expiresAt == CallbackRig.time(end))
    let created = CallbackEvent.created(request, expiresAt: CallbackRig.time(end), dueAt: callback.dueAt)
    let first = CallbackEffect.changed(row.status == .scheduled ? .scheduled : .queued)
    #expect(
      turn
        == (row.status == .routing
          ? Turn([created, .routed(.immediate, push: nil)], [.alarm(end), first, .changed(.routing)])
          : Turn([created], [.alarm(due ?? end), first])))
    #expect(callback.wantsAgent == (row.status != .scheduled) && callback.agentID == nil)
    #expect(callback.outstandingEffects == [.alarm(due ?? end)])
    #expect(callback.rest == .asleep(until: CallbackRig.time(due ?? end)))
  }

  @Test("the customer is asked only where an agent is waited for, and a device is there to ask on")
  func askedFirst() {
    #expect(CallbackRig.request(confirms: true).isAskedFirst)
    #expect(!CallbackRig.request(confirms: false).isAskedFirst)
    #expect(!CallbackRig.request(waits: false, confirms: true).isAskedFirst)
    #expect(!CallbackRig.request(confirms: true, device: nil).isAskedFirst)
  }

  static let tooMuch:
    [(name: String, change: @Sendable (inout CallbackRequest) -> Void, rejection: CallbackRejection)] =
      [
        (
          "many fields", { $0.fields = (0..<65).map { NameValuePair("f\($0)", "") } }, .tooManyFields(limit: 64)
        ),
        ("a long value", { $0.fields = [field("a", 8_193)] }, .tooLong(field: "a", limit: 8_192)),
        (
          "a long name", { $0.fields = [NameValuePair(String(repeating: "n", count: 129), "")] },
          .tooLong(field: String(repeating: "n", count: 32) + "…", limit: 128)
        ),
        ("no name", { $0.fields = [NameValuePair("", "v")] }, .invalid(field: "", reason: "a field needs a name")),
        (
          "much in all", { $0.fields = (0..<5).map { field("f\($0)", 7_000) } },
          .tooLong(field: "fields", limit: 32_768)
        ),
        ("a user", { $0.userKey = text(8_193) }, .tooLong(field: "gms_user", limit: 8_192)),
        (
          "a device", { $0.device?.deviceID = text(8_193) }, .tooLong(field: "_device_notification_id", limit: 8_192)
        ),
        ("a device's type", { $0.device?.type = text(8_193) }, .tooLong(field: "_device_os", limit: 8_192)),
        ("a language", { $0.language = text(8_193) }, .tooLong(field: "_language", limit: 8_192)),
        ("a number", { $0.accessNumber = text(8_193) }, .tooLong(field: "_access_number", limit: 8_192)),
      ]

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
  private static func field(_ name: String, _ count: Int) -> NameValuePair { NameValuePair(name, text(count)) }

  @Test("what is too much is refused by name", arguments: tooMuch)
  func limits(
    name: String, change: @Sendable (inout CallbackRequest) -> Void, rejection: CallbackRejection
  ) {
    var request = CallbackRig.request()
    change(&request)
    var rig = CallbackRig()
    #expect(throws: rejection) { try rig.when(.create(request), at: 0) }
    #expect(rig.callback == Callback())
  }

  @Test("as much as is allowed is taken, in UTF-8")
  func allowed() throws {
    var request = CallbackRig.request()
    request.fields =
      [NameValuePair(String(repeating: "n", count: 128), ""), NameValuePair("a", String(repeating: "ü", count: 4_096))]
      + (0..<62).map { NameValuePair("f\($0)", "") }
    #expect(try CallbackRig.given(request).callback.request == request)
  }

  @Test("no time is too far away", arguments: [Int64.min, 0, .max])
  func extremes(milliseconds: Int64) throws {
    var request = CallbackRig.request()
    request.desiredTime = Timestamp(milliseconds: milliseconds)
    var rig = try CallbackRig.given(request)
    #expect(rig.callback.status == (milliseconds == .max ? .scheduled : .queued))
    try rig.when(.alarm, at: 100)
    #expect(rig.callback.expiresAt > CallbackRig.time(100))
  }
}
