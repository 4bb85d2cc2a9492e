import ChatDomain
import EventSourcing
import Foundation
import Journal
import JournalFormat
import PushDomain
import SupportDomain
import SystemPackage

@testable import Engine

/// A journal written by hand: events of entities, at times of our choosing.
final class AuditRecords {
  let directory: FilePath
  private var records: [PendingRecord] = []
  private var sequences: [String: UInt64] = [:]
  private var configuration = JournalConfiguration()
  /// Milliseconds since `start`.
  private var now: Int64 = 0

  /// 2026-02-11T08:30:00Z.
  static let start: Int64 = 1_770_798_600_000

  init(segmentByteCount: Int = JournalConfiguration().segmentByteCount) throws {
    configuration.segmentByteCount = segmentByteCount
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-audit-\(UUID().uuidString)")
    directory = FilePath(url.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory.string) }

  /// Moves the clock.
  func after(_ milliseconds: Int64) { now += milliseconds }

  func chat(_ key: String, _ event: ChatEvent) { add(.chatSession, key, event) }
  func comet(_ key: String, _ event: CometRecord.Event) { add(.cometSession, key, event) }
  func push(_ key: String, _ event: PushEvent) { add(.pushQueue, key, event) }

  func add(_ kind: EntityKind, _ key: String, _ event: some JournaledEvent) {
    let stored = StoredEvent(event)
    let sequence = (sequences["\(kind.rawValue) \(key)"] ?? 0) + 1
    sequences["\(kind.rawValue) \(key)"] = sequence
    records.append(
      PendingRecord(
        kind: kind.rawValue, key: key, sequence: sequence, timeMilliseconds: Self.start + now, tag: stored.tag,
        payload: stored.payload))
  }

  /// Writes what was added, a frame for each record, as one life of a server.
  func run() throws {
    let (writer, _) = try JournalWriter.open(
      directory: directory, configuration: configuration, onFatal: { _ in }, replay: { _ in })
    for record in records { try writer.waitUntilDurable(try writer.append([record], lazy: true)) }
    try writer.close()
    records = []
  }

  /// What a timeline tells of the records that `isTold` lets pass.
  func entries(where isTold: (borrowing RecordView) -> Bool = { _ in true }) throws -> [TimelineEntry] {
    var timeline = Timeline(.carillon)
    var entries: [TimelineEntry] = []
    try JournalReader(directory: directory).walk(
      frame: { frame in
        if let start = timeline.entry(of: frame.header, segmentNumber: frame.segmentNumber) { entries.append(start) }
      },
      record: { if isTold($0) { entries += timeline.entries(of: $0) } })
    return entries
  }

  /// The records that are the customer's, by position.
  func positions(of subject: String) throws -> (scope: SubjectScope, positions: [UInt64]) {
    var scope = SubjectScope(subject: subject, in: .carillon)
    let reader = JournalReader(directory: directory)
    try reader.forEachRecord { scope.collect($0) }
    scope.close()
    var positions: [UInt64] = []
    try reader.forEachRecord { if scope.belongs($0) { positions.append($0.position) } }
    return (scope, positions)
  }

  static func start(
    _ session: String, user: String?, nickname: String, subject: String = "", device: String? = nil,
    data: [NameValuePair] = []
  ) -> ChatEvent {
    .started(
      with: ChatStart(
        chatSessionID: session, userKey: user, notifiesByComet: true, nickname: nickname, subject: subject,
        firstMessage: nil, pushTarget: device.map { PushTarget(type: "customhttp", deviceID: $0) }, userID: "",
        secureKey: "", data: data))
  }

  static func created(_ data: [NameValuePair] = []) -> ChatEvent {
    .created(serviceName: "request-chat", data: data, expiresAt: Timestamp(milliseconds: start + 3_600_000))
  }

  static func message(of producer: String, _ number: Int, device: String) -> PushMessage {
    PushMessage(
      producer: producer, number: number, tag: "chat", alert: "New message", content: Array("{}".utf8),
      service: "request-chat", target: PushAddress(type: "customhttp", deviceID: device))
  }

  /// What registering these devices of support writes: they are device 1, 2, …
  static func registered(_ devices: [(identifier: String, platform: SupportDevice.Platform)]) throws
    -> [SupportUserEvent]
  {
    var user = SupportUser()
    user.evolve(.identified(SupportIdentity(key: .contact("anybody"))), at: .epoch)
    return try devices.flatMap { device in
      let events = try user.decide(
        .registerDevice(identifier: device.identifier, device.platform, .pushToken, locale: "en-us", app: "demo"),
        now: .epoch)
      for event in events { user.evolve(event, at: .epoch) }
      return events
    }
  }
}

extension ErasureScope {
  /// As a plan holds it.
  init(json: String) throws {
    self.init(lists: try JSONDecoder().decode([String: Set<String>].self, from: Data(json.utf8)), in: .carillon)
  }
}
