import AuditEngine
import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import Journal
import JournalFormat

/// The journal as evidence, while the server runs.
extension AdminRoutes {
  func journalStatus(_ request: Request) async throws -> Response {
    _ = try ListQuery.known(request, [])
    let status = try await audit.status()
    let maximum = EngineLimits().segmentsListedMaximum
    return .object { object in
      object.object("head") { head in
        head.member("position", status.point.position)
        head.member("chainHash", status.point.chainHash.description)
        head.member("segment", status.point.segmentNumber)
      }
      object.member("lastPosition", status.lastPosition)
      object.member("commits", status.commits.count)
      object.member("lastSyncAt", ifPresent: status.commits.lastMilliseconds.map(Self.time))
      object.member("segmentCount", status.segments.count)
      object.member("segmentBytes", status.segments.reduce(0) { $0 + $1.byteCount })
      object.objects("segments", status.segments.suffix(maximum)) { segment, object in
        object.member("number", segment.number)
        object.member("bytes", segment.byteCount)
        object.member("archived", segment.isArchived)
        object.member("packed", segment.isPacked)
      }
      object.objects("entities", status.entities) { entity, object in
        object.member("kind", entity.kind.label)
        object.member("count", entity.count)
      }
      if let snapshot = status.snapshot {
        object.object("snapshot") { object in
          object.member("position", snapshot.position)
          object.member("madeAt", snapshot.made.iso8601Milliseconds)
          object.member("ageSeconds", max(0, (status.now.milliseconds - snapshot.made.milliseconds) / 1_000))
        }
      }
      object.member("bytesLeft", ifPresent: status.roomLeft.map { Int(clamping: $0) })
      object.member("full", status.isStorageFull)
    }
  }

  static func time(_ milliseconds: Int64) -> String { Timestamp(milliseconds: milliseconds).iso8601Milliseconds }

  func journalRecords(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, ["entity", "kind", "reveal"], limitMaximum: listMaximum)
    let question = RecordQuestion(
      entity: query["entity"] == nil ? nil : try Self.entity(query), kind: try Self.kind(query))
    let after = try query.after.map { try Self.position($0, "after") } ?? 0
    let page = try await audit.records(question, after: after, limit: query.limit, mask: try mask(query))
    var fields = query.link(next: page.next.map { String($0) })
    fields[.journalHead] = String(page.head)
    fields[.journalSearched] = String(page.searchedTo)
    return .json(adding: fields) { $0.array(page.records) { $1.value(RawJSON($0)) } }
  }

  private static func kind(_ query: ListQuery) throws(EdgeFailure) -> EntityKind? {
    guard let text = query["kind"] else { return nil }
    guard let kind = EntityKind(argument: text) else { throw .badParameter("kind", "is neither a kind nor a number") }
    return kind
  }

  func journalState(_ request: Request) async throws -> Response {
    let query = try ListQuery(ofResource: request, ["entity", "at", "reveal"])
    return .json(
      try await audit.state(of: try Self.entity(query), at: try Self.bound(query, "at"), mask: try mask(query)))
  }

  func journalDifference(_ request: Request) async throws -> Response {
    let query = try ListQuery(ofResource: request, ["entity", "from", "to", "reveal"])
    let entity = try Self.entity(query)
    guard let from = try Self.bound(query, "from") else { throw EdgeFailure.missingParameter("from") }
    let to = try Self.bound(query, "to")
    let isReversed =
      switch (from, to) {
      case (.position(let first), .position(let second)?): first > second
      case (.time(let first), .time(let second)?): first > second
      default: false
      }
    guard !isReversed else { throw EdgeFailure.badParameter("to", "is before 'from'") }
    return .json(try await audit.difference(of: entity, from: from, to: to, mask: try mask(query)))
  }

  func beginVerification(_ token: AccessToken) async throws -> Response {
    guard let begun = try await audit.verify(by: token.name) else {
      throw EdgeFailure(.conflict, "A verification is under way", exception: "VerificationUnderWayException")
    }
    return .object(status: .accepted, adding: [.location: "/admin/1/journal/verifications/current"]) {
      Self.write(begun, into: &$0)
    }
  }

  func currentVerification() throws -> Response {
    guard let verification = audit.verification else { throw EdgeFailure.notFound }
    return .object { Self.write(verification, into: &$0) }
  }

  private static func write(_ verification: Verification, into object: inout JSONObjectWriter) {
    let (state, problem): (String, String?) =
      switch verification.outcome {
      case .running: ("running", nil)
      case .intact: ("intact", nil)
      case .damaged(let reason): ("damaged", reason)
      case .stopped: ("stopped", nil)
      }
    let report = verification.report
    object.member("state", state)
    object.member("problem", ifPresent: problem)
    object.member("by", verification.by)
    object.member("begunAt", verification.begunAt.iso8601Milliseconds)
    object.member("endedAt", ifPresent: verification.endedAt?.iso8601Milliseconds)
    object.member("segmentCount", verification.segments)
    object.member("segments", report.segments)
    object.member("frames", report.frames)
    object.member("records", report.records)
    object.member("redactedRecords", report.redactedRecords)
    object.member("firstPosition", report.firstPosition)
    object.member("lastPosition", report.lastPosition)
    object.member("storedBytes", report.storedByteCount)
    object.member("headHash", report.headHash.description)
    object.member("snapshots", verification.snapshots)
  }

  func checkpoint(_ request: Request) async throws -> Response {
    _ = try ListQuery.known(request, [])
    let checkpoint = try await audit.checkpoint()
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/plain;charset=UTF-8", .cacheControl: "no-cache, no-store",
        .contentDisposition: "attachment; filename=\"checkpoint-\(checkpoint.point.position).txt\"",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: checkpoint.text)))
  }
}
