public import EventSourcing

extension SupportRequest {
  public func decide(
    _ command: SupportRequestCommand, now: Timestamp
  ) throws(SupportRequestRejection) -> [SupportRequestEvent] {
    switch command {
    case .create(let terms, let draft, let tags, let fields, let reports):
      return create(terms, draft, tags: tags, fields: fields, reports: reports, now)
    case .change(let change, let notice, let reports, let limits):
      return try decide(change, notice: notice, reports: reports, limits: limits, now)
    case .refreshed(let comment, let device):
      let isNews = waiting.contains { $0.comment == comment && !$0.refreshed.contains(device) }
      return isNews && device > 0 ? [.refreshed(comment: comment, device: device)] : []
    case .due(let parts):
      return due(parts, now)
    case .read(let comment, let device):
      return read(upTo: min(comment, comments.last?.number ?? 0), device: device)
    case .handedOver(let number):
      return duties.contains { $0.number == number } ? [.handedOver(number: number)] : []
    case .erase:
      return terms == nil ? [] : [.erased(state: erased.stateBytes)]
    case .filesDropped:
      return orphans.isEmpty ? [] : [.filesDropped]
    case .restate:
      return [.erased(state: stateBytes)]
    }
  }

  private func create(
    _ terms: SupportRequestTerms, _ draft: SupportCommentDraft, tags: [String], fields: [SupportField], reports: Bool,
    _ now: Timestamp
  ) -> [SupportRequestEvent] {
    // One that was erased has its number for ever.
    guard version == 0 else { return [] }
    let comment = draft.comment(number: 1, by: draft.role, now)
    var numbers = DutyNumbers(after: highestDuty)
    let duties = numbers.duties((reports ? [.report(.created, comment: 1)] : []) + comment.keeping)
    return [.created(terms, comment, tags: tags, fields: [].merging(fields), duties: duties)]
  }

  private func read(upTo comment: Int, device: Int?) -> [SupportRequestEvent] {
    let known = reads.last { $0.device == device }?.comment ?? 0
    return comment > known && device ?? 1 > 0 ? [.read(upTo: comment, device: device)] : []
  }

  /// Whom it was for and what was said is gone, the files as well; that there was a request, and when, stays.
  private var erased: SupportRequest {
    var request = SupportRequest()
    request.status = status
    request.createdAt = createdAt
    request.updatedAt = updatedAt
    request.publicUpdatedAt = publicUpdatedAt
    request.version = version
    request.publicVersion = publicVersion
    request.highestDuty = highestDuty
    request.orphans = comments.flatMap(\.attachments).map(\.token)
    return request
  }
}

/// Gives out the numbers of duties within one decision.
struct DutyNumbers {
  private var highest: Int

  init(after highest: Int) { self.highest = highest }

  mutating func duties(_ kinds: [SupportDuty.Kind]) -> [SupportDuty] {
    defer { highest += kinds.count }
    return zip((highest + 1)..., kinds).map { SupportDuty(number: $0, kind: $1) }
  }
}

extension SupportCommentDraft {
  /// - Parameter role: who speaks; what an end user says, its requester sees.
  func comment(number: Int, by role: SupportRole, _ now: Timestamp) -> SupportComment {
    SupportComment(
      number: number, author: author, role: role, isPublic: isPublic || role == .endUser, body: body,
      attachments: attachments, createdAt: now)
  }
}

extension SupportComment {
  /// What its files are owed.
  var keeping: [SupportDuty.Kind] { attachments.isEmpty ? [] : [.keepFiles(comment: number)] }
}
