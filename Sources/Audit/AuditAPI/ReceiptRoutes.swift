package import AuditEngine
package import ChatAPI
import ChatDomain
import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import Journal
import JournalFormat
import Transparency

/// Proofs for customers that what they wrote stands in the journal.
package struct ReceiptRoutes: Sendable {
  let evidence: EvidenceService
  let audit: JournalAudit
  /// Who may have a customer's chat.
  let chats: ChatRoutes
  /// Of the journal's readers: the others are left to operators.
  private let readers = JournalReaderCount(maximum: EdgeLimits.receiptReadersMaximum)

  package init(evidence: EvidenceService, audit: JournalAudit, chats: ChatRoutes) {
    self.evidence = evidence
    self.audit = audit
    self.chats = chats
  }

  /// Nobody gets more than what they have written themselves: not their agent's words, nor who that is.
  func receipt(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let (serviceID, _) = try await chats.admit(request, context)
    guard evidence.givesReceipts else { throw EdgeFailure.notFound }
    let query = try ListQuery.known(request, ["position"])
    guard let text = query.first(of: "position") else { throw EdgeFailure.missingParameter("position") }
    guard let number = Int(text), number > 0 else {
      throw EdgeFailure.badParameter("position", "must be the number of an event, from 1")
    }
    guard number <= (await chats.lastPosition(of: serviceID) ?? 0) else { throw Self.none }
    guard readers.enter() else { throw JournalAuditError.busy }
    defer { readers.leave() }
    guard let record = try await record(number, of: serviceID) else { throw Self.none }
    let (found, proof) = try await proof(of: record)
    guard Self.isCustomers(found) else { throw Self.none }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "private, no-store",
        .contentDisposition: "attachment; filename=\"message-\(number).\(LogProof.fileExtension)\"",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: proof.bytes)))
  }

  private func proof(of record: UInt64) async throws -> (RecordEvidence, LogProof) {
    do throws(LogReadFailure) { return try await evidence.proof(of: record) } catch {
      switch error {
      case .noCheckpoint, .beyondCheckpoint:
        var failure = EdgeFailure(
          .notFound, "No checkpoint that is shown reaches the message yet", exception: "NotYetException")
        failure.retryAfter = EdgeLimits.retryAfterSeconds
        throw failure
      case .gone: throw Self.none
      case .busy: throw error
      }
    }
  }

  /// The record of a line of the transcript; nil if it is none.
  private func record(_ number: Int, of serviceID: String) async throws -> UInt64? {
    let chat = EntityID(.chatSession, serviceID)
    var next: UInt64? = 0
    while let after = next {
      let page = try await audit.timeline(.entity(chat), TimelineFilter(), after: after, limit: Self.entriesAtOnce)
      if let entry = page.entries.first(where: { $0.entity == chat && $0.transcriptPosition == number }) {
        return entry.position
      }
      next = page.next
    }
    return nil
  }

  private static let entriesAtOnce = 500

  private static func isCustomers(_ record: RecordEvidence) -> Bool {
    guard let body = record.content?.body else { return false }
    return body.withUnsafeBytes { bytes in
      guard let view = RecordView(body: bytes, position: record.position, frameTimeMilliseconds: 0),
        view.kind == EntityKind.chatSession.rawValue
      else { return false }
      var reader = PayloadReader(view.payload)
      guard case .linePosted(ChatParty.customer, .messageText, _)? = try? ChatEvent(tag: view.tag, payload: &reader)
      else {
        return false
      }
      return true
    }
  }

  private static let none = EdgeFailure(
    .notFound, "The customer has written nothing at this position", exception: "NotFoundException")
}
