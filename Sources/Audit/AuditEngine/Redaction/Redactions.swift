package import EngineKit
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import Logging

/// Why a redaction was not begun; nothing was changed.
public enum RedactionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No record of such a customer.
  case nothingFound
  case invalid(field: String, reason: String)
  /// The journal is not open.
  case unavailable

  public var description: String {
    switch self {
    case .nothingFound: "there is no record of this subject: nothing was changed"
    case .invalid(let field, let reason): "\(field) \(reason)"
    case .unavailable: "the journal is not open"
    }
  }
}

/// Erases customers from the journals of all partitions, and keeps the log of it.
public final class Redactions: Sendable {
  let partitions: Partitions
  /// The one that has the plan, and the log.
  var partition: Partition { partitions.all[0] }
  let directory: EntityDirectory<RedactionLog>
  let board = RedactionBoard(maximum: 100)
  private let searches: TimelineSearches

  /// - Parameter audit: must not remember what is erased.
  package init(_ partitions: Partitions, audit: JournalAudit) {
    self.partitions = partitions
    searches = audit.searches
    directory = partitions.directory(.redactionLog)
    partitions.add(RedactionHost(directory: directory))
  }

  /// Erases everything of one customer: chats, Comet sessions, pushes, messages; in the journal, its archive, the snapshots, the
  /// files that recovery cut off, and the running state, which shows a placeholder from then on.
  ///
  /// Positions, counts and the hash chain stay. A crash in between makes the next start carry it to its end; before the
  /// plan is on the disk, nothing has happened.
  /// - Parameters:
  ///   - subject: a user key, service id, chat session id, Comet session's id, device id, android id, registration
  ///     token, or a value of attached data; of support, an e-mail, external id, SDK's id, device identifier, `user:5`
  ///     or `request:5`.
  ///   - by: the operator, 1 to 256 bytes; stays in the journal.
  ///   - reason: at most 1,024 bytes; stays in the journal.
  /// - Throws: `RedactionError`, `JournalError`, `StorageError`, `SnapshotError`.
  public func redact(subject: String, by: String, reason: String) async throws -> RedactionLog.Redaction {
    try Self.check(subject: subject, by: by, reason: reason)
    return try await redact(subject: subject, by: by, reason: reason, id: partition.node.identifiers.browserID())
  }

  func redact(subject: String, by: String, reason: String, id: String) async throws -> RedactionLog.Redaction {
    guard partition.journal.writer != nil else { throw RedactionError.unavailable }
    return try await alone { [self] in
      // One that something stopped (a full disk) is carried to its end first: its plan must not be overwritten.
      if let unfinished = try await interruptedPlan() { _ = try await carryOut(unfinished) }
      try await partitions.context.untilDurable()
      let searched = partitions.all.map { $0.journal.writer?.durablePoint.position ?? 0 }
      let (scope, records) = try await partition.onThread { [self] in try search(subject) }
      guard !scope.isEmpty else { throw RedactionError.nothingFound }
      let plan = RedactionPlan(
        id: id, by: by, reason: reason, requestedAt: partition.context.time.now.milliseconds, scope: scope.lists,
        records: records, searchedUpTo: searched[0],
        othersSearchedUpTo: searched.count > 1 ? Array(searched.dropFirst()) : nil)
      try await write(plan)
      return try await carryOut(plan)
    }
  }

  /// Carries a redaction that a crash interrupted to its end; nothing if there is none.
  package func resume() async throws {
    // The plan is read with the house to itself: one that runs must not be taken for one that was interrupted.
    try await alone { [self] in
      guard let plan = try await interruptedPlan() else { return }
      partition.logger.notice("a redaction that was interrupted is carried to its end", metadata: ["id": "\(plan.id)"])
      let report = try await carryOut(plan)
      partition.logger.notice("redacted", metadata: ["id": "\(report.id)", "records": "\(report.records)"])
    }
  }

  /// With the house of every partition to itself, which others ask for one at a time.
  private func alone<Value: Sendable>(
    from number: Int = 0, _ job: @Sendable () async throws -> Value
  ) async throws -> Value {
    guard number < partitions.all.count else { return try await job() }
    return try await partitions.all[number].housekeeper.alone { try await alone(from: number + 1, job) }
  }

  private func interruptedPlan() async throws -> RedactionPlan? {
    guard let bytes = try await partition.onThread({ [self] in try partition.redactionIntent.read() }) else {
      return nil
    }
    return try JSONDecoder().decode(RedactionPlan.self, from: Data(bytes))
  }

  static func check(subject: String, by: String, reason: String) throws(RedactionError) {
    try check(subject, "subject", 1...1_024)
    try check(by, "by", 1...256)
    try check(reason, "reason", 0...1_024)
  }

  private static func check(_ text: String, _ field: String, _ bounds: ClosedRange<Int>) throws(RedactionError) {
    guard bounds.contains(text.utf8.count) else {
      throw .invalid(field: field, reason: "has not \(bounds.lowerBound) to \(bounds.upperBound) bytes")
    }
  }

  /// What a redaction of this subject would reach, as the journal stands: records and entities by kind. Changes nothing.
  /// - Throws: `RedactionError`, `JournalError`.
  package func preview(subject: String) async throws -> RedactionPreview {
    try Self.check(subject, "subject", 1...1_024)
    guard partition.node.isReady, partition.journal.writer != nil else { throw RedactionError.unavailable }
    return try await partition.onThread { [self] in
      let (scope, records) = try search(subject)
      guard !scope.isEmpty else { throw RedactionError.nothingFound }
      var preview = RedactionPreview(entities: scope.entityCount)
      guard records > 0 else { return preview }
      var seen: [EntityKind: Set<String>] = [:]
      try forEachRecord { record in
        guard scope.covers(record, restatements: [:]) else { return }
        let kind = EntityKind(rawValue: record.kind)
        seen[kind, default: []].insert(record.keyText)
        preview.add(record: kind)
      }
      for (kind, keys) in seen { preview.set(entities: keys.count, of: kind) }
      return preview
    }
  }

  /// Of all partitions, one after the other. Blocks.
  private func forEachRecord(_ body: (borrowing RecordView) throws -> Void) throws {
    for partition in partitions.all { try partition.reader.forEachRecord(body) }
  }

  /// Two walks through the whole journal. Blocks.
  private func search(_ subject: String) throws -> (ErasureScope, records: Int) {
    var found = SubjectScope(subject: subject, in: partition.catalogue)
    try forEachRecord { found.collect($0) }
    found.close()
    let scope = ErasureScope(found)
    var records = 0
    if !scope.isEmpty { try forEachRecord { if scope.covers($0, restatements: [:]) { records += 1 } } }
    return (scope, records)
  }

  /// Each step may have been done already by a process that did not live to do the next.
  private func carryOut(_ planned: RedactionPlan) async throws -> RedactionLog.Redaction {
    let before = try partitions.all.map { partition in
      guard let writer = partition.journal.writer else { throw RedactionError.unavailable }
      return writer.durablePoint.position
    }
    let plan = try await eraseLiveState(planned)
    let scope = ErasureScope(lists: plan.scope, in: partition.catalogue)
    var (records, segments, last) = (UInt64(0), 0, UInt64(0))
    for (partition, position) in zip(partitions.all, before) {
      let (seal, rewritten) = try await rewrite(partition, scope, after: position)
      records += rewritten.records
      segments += rewritten.segments
      if partition === self.partition { last = seal.position }
    }
    searches.forget()
    let report = RedactionLog.Redaction(
      id: plan.id, by: plan.by, reason: plan.reason, records: max(plan.records, Int(clamping: records)),
      entities: scope.entityCount, segments: segments, upTo: last,
      requestedAt: Timestamp(milliseconds: plan.requestedAt))
    guard let log = directory.entity(RedactionLog.key) else { throw RedactionError.unavailable }
    _ = try await log.perform(report) { $0.count }
    try await partition.onThread { [intent = partition.redactionIntent] in try intent.remove() }
    return report
  }

  /// Leaves of one journal what is not in the scope, and a snapshot of what is left.
  /// - Parameter position: behind it the live state was restated.
  private func rewrite(
    _ partition: Partition, _ scope: ErasureScope, after position: UInt64
  ) async throws -> (seal: JournalPoint, report: RedactionReport) {
    guard let writer = partition.journal.writer else { throw RedactionError.unavailable }
    let seal = try await partition.onThread { try writer.roll() }
    // From here on a start finds only what is left.
    let snapshot = try await partition.writeSnapshot()
    let (store, redaction, reader) = (partition.snapshots, partition.segmentRedaction, partition.reader)
    let rewritten = try await partition.onThread {
      try store.removeAll(except: store.file(at: snapshot.point.position))
      let restatements = try Self.restatements(in: reader, after: position, scope.catalogue)
      _ = try redaction.removeCutFiles()
      return try redaction.redact(upTo: seal.position) { scope.covers($0, restatements: restatements) }
    }
    partition.noteSnapshot(at: snapshot.point)
    return (seal, rewritten)
  }

  private func write(_ plan: RedactionPlan) async throws {
    let bytes = Array(try JSONEncoder().encode(plan))
    try await partition.onThread { [self] in try partition.redactionIntent.write(bytes) }
  }

  /// In the order of the phases; then it is durable.
  /// - Returns: the plan, with what was added while the journal was searched.
  private func eraseLiveState(_ planned: RedactionPlan) async throws -> RedactionPlan {
    var plan = planned
    var scope = ErasureScope(lists: plan.scope, in: partition.catalogue)
    try await erase([.people], scope)
    for host in partitions.hosts { await host.add(to: &scope) }
    try await replace(&plan, scope)
    try await erase([.origins, .data, .remainders], scope)
    // From here on these chats push nothing, and nobody can send to these installations.
    try await partitions.context.untilDurable()
    let (readers, known, positions) = (partitions.all.map(\.reader), scope, plan.positions)
    scope = try await partition.onThread {
      var scope = known
      for (reader, position) in zip(readers, positions) {
        try reader.forEachRecord(from: position + 1) { scope.add($0) }
      }
      return scope
    }
    try await replace(&plan, scope)
    try await erase([.targets], scope)
    try await partitions.context.untilDurable()
    return plan
  }

  private func erase(_ phases: [ErasurePhase], _ scope: ErasureScope) async throws {
    for phase in phases {
      for host in partitions.hosts { try await host.erase(phase, scope) }
    }
  }

  /// Writes the plan anew if there is more to erase.
  private func replace(_ plan: inout RedactionPlan, _ scope: ErasureScope) async throws {
    guard plan.scope != scope.lists else { return }
    plan.scope = scope.lists
    try await write(plan)
  }

  /// The last restatement of each entity behind `position`.
  private static func restatements(
    in reader: JournalReader, after position: UInt64, _ catalogue: Catalogue
  ) throws -> [EntityID: UInt64] {
    var found: [EntityID: UInt64] = [:]
    try reader.forEachRecord(from: position) { record in
      guard !record.isRedacted else { return }
      let kind = EntityKind(rawValue: record.kind)
      if catalogue[kind]?.isRestatement(record.tag) == true {
        found[EntityID(kind, record.keyText)] = record.position
      }
    }
    return found
  }
}
