import EventSourcing

extension SupportRequest {
  func decide(
    _ change: SupportChange, notice: SupportNotice, reports: Bool, limits: SupportRequestLimits, _ now: Timestamp
  ) throws(SupportRequestRejection) -> [SupportRequestEvent] {
    guard let terms else { throw .unknown }
    guard status != .closed else { throw .closed }
    guard duties.count < limits.dutiesMaximum else { throw .tooManyOwed(limit: limits.dutiesMaximum) }
    if change.by == .endUser, let field = change.fieldOfAgents { throw .notAllowed(field: field) }
    var numbers = DutyNumbers(after: highestDuty)
    let comment = try comment(of: change, limits, now)
    let update = try update(by: change, comment, limits)
    guard let comment else {
      let duties = update == nil || !reports ? [] : numbers.duties([.report(.updated, comment: nil)])
      return update.map { [$0.event(by: change.author, duties)] } ?? []
    }
    // Spec: support requests 4.
    let isTold = isShown(comment) && terms.app != nil && notice.isOn
    let noticeAt = isTold ? moment(of: notice, now) : nil
    let report: [SupportDuty.Kind] = reports ? [.report(.commented, comment: comment.number)] : []
    var events: [SupportRequestEvent] = [
      .commentAdded(comment, noticeAt: noticeAt, duties: numbers.duties(report + comment.keeping))
    ]
    if let update { events.append(update.event(by: change.author, [])) }
    if noticeAt != nil, notice.coalescing > .zero {
      events += waiting.map { .notificationSuppressed(comment: $0.comment, .coalesced, devices: []) }
    } else if isTold, noticeAt == nil {
      events += plan(comment.number, notice.parts, without: [], &numbers)
    }
    return events
  }

  /// Plans what waits no longer, oldest first. Timers and the calendar run on different clocks: an alarm may be early.
  func due(_ parts: [SupportPartDraft], _ now: Timestamp) -> [SupportRequestEvent] {
    guard waiting.isEmpty || waiting.contains(where: { $0.at <= now }) else { return [.alarmPutOff] }
    var numbers = DutyNumbers(after: highestDuty)
    #if CARILLON_CANARIES
      if Canary.sings(.refreshedStillTold) {
        return waiting.filter { $0.at <= now }.flatMap { plan($0.comment, parts, without: [], &numbers) }
      }
    #endif
    return waiting.filter { $0.at <= now }.flatMap { plan($0.comment, parts, without: $0.refreshed, &numbers) }
  }

  /// When a comment's notification is to be planned; nil for at once.
  private func moment(of notice: SupportNotice, _ now: Timestamp) -> Timestamp? {
    let wait = max(notice.grace, notice.coalescing, .zero)
    guard wait > .zero || !waiting.isEmpty else { return nil }
    let moment = now.advanced(by: wait)
    // Several comments are told of in their order, unless this one takes the place of the others.
    return notice.coalescing > .zero ? moment : waiting.reduce(moment) { max($0, $1.at) }
  }

  /// - Parameter refreshed: devices on whose screens the comment is already. Spec: support requests 6.2.
  private func plan(
    _ comment: Int, _ parts: [SupportPartDraft], without refreshed: [Int], _ numbers: inout DutyNumbers
  ) -> [SupportRequestEvent] {
    let left = parts.map { $0.without(refreshed) }.filter { !$0.devices.isEmpty }
    let leftOut = parts.flatMap(\.devices).filter(refreshed.contains)
    let omission: [SupportRequestEvent] =
      leftOut.isEmpty ? [] : [.notificationSuppressed(comment: comment, .refreshed, devices: leftOut)]
    guard left.isEmpty else {
      let duties = numbers.duties(left.map { .notify(comment: comment, $0) })
      return [.notificationPlanned(comment: comment, duties: duties)] + omission
    }
    return omission.isEmpty ? [.notificationSuppressed(comment: comment, .noDevices, devices: [])] : omission
  }

  private func comment(
    of change: SupportChange, _ limits: SupportRequestLimits, _ now: Timestamp
  ) throws(SupportRequestRejection) -> SupportComment? {
    guard let draft = change.comment else { return nil }
    guard comments.count < limits.commentsMaximum else { throw .tooManyComments(limit: limits.commentsMaximum) }
    // Agents may write down what an end user said; nobody else speaks for agents.
    let role = change.by == .endUser ? .endUser : draft.role
    return draft.comment(number: (comments.last?.number ?? 0) + 1, by: role, now)
  }

  /// What differs afterwards; nil if nothing does.
  private func update(
    by change: SupportChange, _ comment: SupportComment?, _ limits: SupportRequestLimits
  ) throws(SupportRequestRejection) -> Update? {
    let merged = fields.merging(change.fields)
    guard merged.count <= max(limits.fieldsMaximum, fields.count) else {
      throw .tooManyFields(limit: limits.fieldsMaximum)
    }
    let update = Update(
      status: (change.status ?? comment.flatMap(statusFollowing)).flatMap { $0 == status ? nil : $0 },
      tags: change.tags == tags ? nil : change.tags, fields: merged.filter { !fields.contains($0) },
      assignee: change.assignee == assignee ? nil : change.assignee)
    return update == Update() ? nil : update
  }

  /// What a comment makes of the status if nobody says anything else.
  private func statusFollowing(_ comment: SupportComment) -> SupportStatus? {
    switch (comment.role, status) {
    case (.agent, .new), (.endUser, .pending), (.endUser, .hold), (.endUser, .solved): .open
    default: nil
    }
  }
}

private struct Update: Equatable {
  var status: SupportStatus?
  var tags: [String]?
  var fields: [SupportField] = []
  var assignee: Int64?

  func event(by author: Int64?, _ duties: [SupportDuty]) -> SupportRequestEvent {
    .updated(by: author, status: status, tags: tags, fields: fields, assignee: assignee, duties: duties)
  }
}

extension SupportChange {
  /// A field that only agents may change, as the wire names it; nil if there is none. Spec: support requests 8.
  fileprivate var fieldOfAgents: String? {
    if status != nil, status != .solved { return "status" }
    if tags != nil { return "tags" }
    if !fields.isEmpty { return "custom_fields" }
    return assignee == nil ? nil : "assignee_id"
  }
}

extension SupportPartDraft {
  fileprivate func without(_ others: [Int]) -> SupportPartDraft {
    SupportPartDraft(integration: integration, devices: devices.filter { !others.contains($0) }, language: language)
  }
}
