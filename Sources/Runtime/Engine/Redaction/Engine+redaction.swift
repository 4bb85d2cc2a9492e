import CallbackDomain
import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import Logging
import PushDomain
import StorageDomain
import SupportDomain
import Synchronization

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

extension Engine {
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
    return try await redact(subject: subject, by: by, reason: reason, id: node.identifiers.browserID())
  }

  func redact(subject: String, by: String, reason: String, id: String) async throws -> RedactionLog.Redaction {
    guard partition.journal.writer != nil else { throw RedactionError.unavailable }
    return try await partition.housekeeper.alone { [self] in
      // One that something stopped (a full disk) is carried to its end first: its plan must not be overwritten.
      if let unfinished = try await interruptedPlan() { _ = try await carryOut(unfinished) }
      try await partition.context.untilDurable()
      let searchedUpTo = partition.journal.writer?.durablePoint.position ?? 0
      let (scope, records) = try await partition.onThread { [self] in try search(subject) }
      guard !scope.isEmpty else { throw RedactionError.nothingFound }
      let plan = RedactionPlan(
        id: id, by: by, reason: reason, requestedAt: partition.context.time.now.milliseconds, scope: scope,
        records: records, searchedUpTo: searchedUpTo)
      try await write(plan)
      return try await carryOut(plan)
    }
  }

  /// Carries a redaction that a crash interrupted to its end; nothing if there is none.
  func resumeRedaction() async throws {
    // The plan is read with the house to itself: one that runs must not be taken for one that was interrupted.
    try await partition.housekeeper.alone { [self] in
      guard let plan = try await interruptedPlan() else { return }
      node.logger.notice("a redaction that was interrupted is carried to its end", metadata: ["id": "\(plan.id)"])
      let report = try await carryOut(plan)
      node.logger.notice("redacted", metadata: ["id": "\(report.id)", "records": "\(report.records)"])
    }
  }

  private func interruptedPlan() async throws -> RedactionPlan? {
    guard let bytes = try await partition.onThread({ [self] in try partition.redactionIntent.read() }) else { return nil }
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

  /// Two walks through the whole journal. Blocks.
  private func search(_ subject: String) throws -> (RedactionScope, records: Int) {
    var found = SubjectScope(subject: subject)
    try partition.reader.forEachRecord { found.collect($0) }
    found.close()
    let scope = RedactionScope(found)
    var records = 0
    if !scope.isEmpty { try partition.reader.forEachRecord { if scope.covers($0, restatements: [:]) { records += 1 } } }
    return (scope, records)
  }

  /// Each step may have been done already by a process that did not live to do the next.
  private func carryOut(_ planned: RedactionPlan) async throws -> RedactionLog.Redaction {
    guard let writer = partition.journal.writer else { throw RedactionError.unavailable }
    let before = writer.durablePoint.position
    let plan = try await eraseLiveState(planned)
    let seal = try await partition.onThread { try writer.roll() }
    // From here on a start finds only what is left.
    let snapshot = try await partition.writeSnapshot()
    let (store, redaction, reader, intent) = (
      partition.snapshots, partition.segmentRedaction, partition.reader, partition.redactionIntent)
    let rewritten = try await partition.onThread {
      try store.removeAll(except: store.file(at: snapshot.point.position))
      let restatements = try Self.restatements(in: reader, after: before)
      _ = try redaction.removeCutFiles()
      return try redaction.redact(upTo: seal.position) { plan.scope.covers($0, restatements: restatements) }
    }
    partition.snapshotPoints.withLock { $0 = [snapshot.point] }
    let report = RedactionLog.Redaction(
      id: plan.id, by: plan.by, reason: plan.reason, records: max(plan.records, Int(clamping: rewritten.records)),
      entities: plan.scope.entityCount, segments: rewritten.segments, upTo: seal.position,
      requestedAt: Timestamp(milliseconds: plan.requestedAt))
    guard let log = redactions.entity(RedactionLog.key) else { throw RedactionError.unavailable }
    _ = try await log.perform(report) { $0.count }
    try await partition.onThread { try intent.remove() }
    return report
  }

  private func write(_ plan: RedactionPlan) async throws {
    let bytes = Array(try JSONEncoder().encode(plan))
    try await partition.onThread { [self] in try partition.redactionIntent.write(bytes) }
  }

  /// Sessions first: nothing of them is delivered any more. Then chats, callbacks, support and queues restate
  /// themselves without content.
  /// - Returns: the plan, with the queues that were added to while the journal was searched.
  private func eraseLiveState(_ planned: RedactionPlan) async throws -> RedactionPlan {
    var plan = planned
    for clientID in plan.scope.sessions.sorted() {
      if let session = comet.directory.session(evenDeparting: clientID) { try await session.dismiss() }
    }
    try await eraseSupportUsers(plan.scope)
    await addSupportRequests(to: &plan.scope)
    if plan != planned { try await write(plan) }
    let scope = plan.scope
    try await eraseSupportRequests(scope)
    for serviceID in scope.chats.sorted() {
      guard let chat = chats.directory[serviceID] else { continue }
      _ = try await chats.perform(.erase, on: chat) { _ in true }
      chats.index.erased(serviceID)
    }
    for id in scope.callbacks.sorted() {
      guard let callback = callbacks.directory[id] else { continue }
      _ = try await callback.perform(CallbackCommand(.erase, policy: CallbackPolicy())) { _ in true }
    }
    feed.forget(scope.callbacks)
    feed.forget(scope.chats)
    for key in scope.installations.sorted() { try await eraseInstallation(key) }
    try await eraseData(scope)
    try await restateSupport(scope)
    // From here on these chats push nothing, and nobody can send to these installations.
    try await partition.context.untilDurable()
    let (reader, searched) = (partition.reader, plan)
    plan.scope = try await partition.onThread {
      var scope = searched.scope
      try reader.forEachRecord(from: searched.searchedUpTo + 1) { scope.add($0) }
      return scope
    }
    if plan != searched { try await write(plan) }
    for key in scope.devices.sorted() { try await eraseDevice(key, scope) }
    let found = plan.scope
    for key in found.groups.sorted() { try await eraseMembers(of: key, found) }
    for key in found.queues.sorted() {
      guard let queue = queues[key] else { continue }
      let waiting = await queue.peek { Set($0.mail.pending.map(\.scope)) }.filter(
        found.holds(scope:))
      let producers = found.allProducers.union(waiting).sorted()
      _ = try await queue.perform(.erase(producers: producers)) { _ in true }
      // Also if nothing of theirs was left in it: records of theirs are about to go, and replay must not miss them.
      _ = try await queue.perform(.restate) { _ in true }
    }
    try await partition.context.untilDurable()
    return plan
  }

  /// A device that has changed hands stays with its present owner.
  private func eraseDevice(_ key: String, _ scope: RedactionScope) async throws {
    guard let device = devices.directory[key] else { return }
    let isTheirs = await device.peek { device in
      scope.ownDevices.contains(key) || (device.registration?.owner.map(scope.owners.contains) ?? true)
    }
    _ = try await device.perform(isTheirs ? .erase : .restate) { _ in true }
    // Also if nothing was left to erase: records of theirs are about to go, and replay must not miss them.
    _ = try await device.perform(.restate) { _ in true }
  }

  /// Its connection goes first, then what it has registered; its number stays known.
  private func eraseInstallation(_ key: String) async throws {
    if let id = UInt64(key) { deviceGateway.revoke(InstallationID(id)) }
    guard let installation = installations.directory[key] else { return }
    _ = try await installation.perform(.erase) { _ in true }
    // Also if nothing was left to erase: records of it are about to go, and replay must not miss them.
    _ = try await installation.perform(.restate) { _ in true }
  }

  /// Subscriptions and stored data end, and the files go.
  private func eraseData(_ scope: RedactionScope) async throws {
    for key in scope.subscriptions.sorted() {
      _ = try await notifications.directory[key]?.perform(.erase) { _ in true }
    }
    for key in scope.stored.sorted() { _ = try await storage.directory[key]?.perform(.erase) { _ in true } }
    await storage.blobs.collect()
  }

  /// A group goes on with those who are left.
  private func eraseMembers(of key: String, _ scope: RedactionScope) async throws {
    guard let group = messaging.groups[key] else { return }
    let tokens = await group.peek { $0.members }.filter(scope.holds(token:))
    _ = try await group.perform(.erase(tokens: tokens)) { _ in true }
  }

  /// The last restatement of each entity behind `position`.
  private static func restatements(
    in reader: JournalReader, after position: UInt64
  ) throws -> [EntityID: UInt64] {
    var found: [EntityID: UInt64] = [:]
    try reader.forEachRecord(from: position) { record in
      guard !record.isRedacted else { return }
      let kind = EntityKind(rawValue: record.kind)
      if Catalogue.carillon[kind]?.isRestatement(record.tag) == true {
        found[EntityID(kind, record.keyText)] = record.position
      }
    }
    return found
  }
}
