import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope
import Journal

/// The server at a glance, and its last hour.
extension ServerRoutes {
  static let overviewOperation = Operation<ServerRoutes>(
    .get, "/admin/1/overview", "getOverview", "The server at a glance, and its last hour",
    about: """
      Samples are taken every \(OverviewRecorder.intervalMilliseconds / 1_000) seconds, the last \
      \(OverviewRecorder.samplesMaximum) are kept, and a restart forgets them.
      """,
    access: .admin, answers: [.json(200, "Now, and the last hour.", .named("Overview"))], failures: [400]
  ) { routes, _, request, _ in try routes.glance(request) }

  private static let sync: [APIMember] = [
    .optional("syncMedianMicroseconds", .integer, "Writing and syncing one commit; absent if there was none."),
    .optional("syncP99Microseconds", .integer),
  ]
  private static let counts: [APIMember] = [
    .required("at", .time), .required("position", .integer, "The last record on the disk."),
    .optional("bytesLeft", .integer, "On the journal's file system."),
    .optional("snapshotAgeSeconds", .integer, "Absent if there is no snapshot."),
    .required("connections", .integer, "Over HTTP."), .required("heldPolls", .integer, "Of those that wait."),
    .required("devices", .integer, "Connections of devices."),
    .required("chats", .integer, "Those that have not expired."),
    .required("cometSessions", .integer),
    .required("devicesWaiting", .integer, "Devices that pushes wait for."),
    .required("lanesOpen", .integer, "Courier lanes that are open or off."), .required("deadLetters", .integer),
  ]

  static let overview = APISchema.object(
    [
      .required("ready", .bool), .required("full", .bool, "The disk has no room for the journal."),
      .required("version"), .required("uptimeSeconds", .integer), .required("now", .object(counts)),
      .required("lastMinute", .object([.required("commits", .integer)] + sync)),
      .required(
        "errors", .list(of: .object([.required("kind"), .required("count", .integer)])),
        "Answers with a status from 500 on in the last hour, by surface."),
      .required(
        "entities", .list(of: .object([.required("kind"), .required("count", .integer)])),
        "Those that have not come to their end."),
      .required(
        "samples",
        .list(
          of: .object(
            counts + [
              .required("commits", .integer, "Since the sample before."),
              .required("errors", .integer, "Since the sample before."),
            ] + sync), 0...OverviewRecorder.samplesMaximum), "The oldest first."),
    ])

  private func glance(_ request: Request) throws -> Response {
    _ = try ListQuery.known(request, [])
    guard let now = recorder.now else { throw EdgeFailure.unavailable("The server is not ready") }
    let hour = recorder.lastHour
    let minuteAgo = hour.last { now.glance.at.milliseconds - $0.glance.at.milliseconds >= 60_000 } ?? hour.first
    let minute = minuteAgo.map { now.glance.commits.since($0.glance.commits) } ?? now.glance.commits
    return .object { object in
      object.member("ready", engine.isReady)
      object.member("full", engine.isStorageFull)
      object.member("version", version)
      object.member("uptimeSeconds", recorder.uptimeSeconds)
      object.object("now") { Self.write(now, into: &$0) }
      object.object("lastMinute") { Self.write(minute, into: &$0) }
      let before = hour.count == OverviewRecorder.samplesMaximum ? hour.first?.failures ?? [:] : [:]
      object.objects("errors", now.failures.sorted { $0.key < $1.key }) { failure, object in
        object.member("kind", failure.key)
        object.member("count", failure.value - (before[failure.key] ?? 0))
      }
      object.objects("entities", now.glance.entities) { entities, object in
        object.member("kind", entities.kind.label)
        object.member("count", entities.count)
      }
      object.objects("samples", hour.indices) { index, object in
        let (sample, earlier) = (hour[index], index > 0 ? hour[index - 1] : nil)
        Self.write(sample, into: &object)
        Self.write(
          earlier.map { sample.glance.commits.since($0.glance.commits) } ?? sample.glance.commits, into: &object)
        object.member("errors", sample.failureCount - (earlier?.failureCount ?? 0))
      }
    }
  }

  private static func write(_ sample: OverviewSample, into object: inout JSONObjectWriter) {
    let glance = sample.glance
    func count(_ kind: EntityKind) -> Int { glance.entities.first { $0.kind == kind }?.count ?? 0 }
    object.member("at", glance.at.iso8601Milliseconds)
    object.member("position", glance.position)
    object.member("bytesLeft", ifPresent: glance.roomLeft.map { Int(clamping: $0) })
    object.member(
      "snapshotAgeSeconds",
      ifPresent: glance.snapshotMade.map { max(0, (glance.at.milliseconds - $0.milliseconds) / 1_000) })
    object.member("connections", sample.connections)
    object.member("heldPolls", sample.heldPolls)
    object.member("devices", sample.devices)
    object.member("chats", count(.chatSession))
    object.member("cometSessions", count(.cometSession))
    object.member("devicesWaiting", glance.devicesWaiting)
    object.member("lanesOpen", glance.lanesOpen)
    object.member("deadLetters", glance.deadLetters)
  }

  private static func write(_ commits: CommitFigures, into object: inout JSONObjectWriter) {
    object.member("commits", commits.count)
    object.member("syncMedianMicroseconds", ifPresent: commits.microseconds(at: 0.5))
    object.member("syncP99Microseconds", ifPresent: commits.microseconds(at: 0.99))
  }
}

extension OverviewSample {
  fileprivate var failureCount: Int { failures.values.reduce(0, +) }
}
