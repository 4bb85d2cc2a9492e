public import EventSourcing

extension SupportRequest {
  public mutating func evolve(_ event: SupportRequestEvent, at time: Timestamp) {
    switch event {
    case .created(let terms, let comment, let tags, let fields, let duties):
      self.terms = terms
      self.tags = tags
      self.fields = fields
      comments = [comment]
      createdAt = time
      changed(at: time, isPublic: true)
      owe(duties)
    case .commentAdded(let comment, let noticeAt, let duties):
      comments.append(comment)
      if let noticeAt { waiting.append(WaitingNotice(comment: comment.number, at: noticeAt)) }
      changed(at: time, isPublic: comment.isPublic)
      owe(duties)
    case .updated(_, let status, let tags, let fields, let assignee, let duties):
      if let status { self.status = status }
      if let tags { self.tags = tags }
      self.fields = self.fields.merging(fields)
      if let assignee { self.assignee = assignee }
      changed(at: time, isPublic: status != nil || tags != nil || !fields.isEmpty)
      owe(duties)
    case .notificationPlanned(let comment, let duties):
      settle(comment)
      owe(duties)
    case .notificationSuppressed(let comment, _, _):
      settle(comment)
    case .refreshed(let comment, let device):
      for index in waiting.indices where waiting[index].comment == comment { waiting[index].refreshed.append(device) }
    case .read(let comment, let device):
      reads.removeAll { $0.device == device }
      reads.append(Read(device: device, comment: comment))
      if reads.count > Self.readsMaximum { reads.removeFirst() }
    case .handedOver(let number):
      duties.removeAll { $0.number == number }
    case .erased(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let state = try? SupportRequest(stateBytes: state) { self = state }
    case .filesDropped:
      orphans = []
    case .alarmPutOff:
      break
    }
  }

  /// What was read by more devices is forgotten from the one on that was heard of longest ago.
  static let readsMaximum = 32

  private mutating func changed(at time: Timestamp, isPublic: Bool) {
    version += 1
    updatedAt = time
    guard isPublic else { return }
    publicVersion += 1
    publicUpdatedAt = time
  }

  private mutating func owe(_ fresh: [SupportDuty]) {
    duties += fresh
    highestDuty = fresh.reduce(highestDuty) { max($0, $1.number) }
  }

  /// Whatever is decided of a notification, it does not wait any more. One that only some are told of is planned first,
  /// then suppressed for the others.
  private mutating func settle(_ comment: Int) { waiting.removeAll { $0.comment == comment } }
}

extension [SupportField] {
  /// The later value of an id wins, in the place of the first.
  func merging(_ changes: [SupportField]) -> [SupportField] {
    changes.reduce(into: self) { merged, change in
      if let index = merged.firstIndex(where: { $0.id == change.id }) {
        merged[index] = change
      } else {
        merged.append(change)
      }
    }
  }
}

extension SupportRequest {
  public func react(to event: SupportRequestEvent) -> [SupportRequestEffect] {
    switch event {
    case .created(_, _, _, _, let duties):
      [.changed(.created)] + perform(duties)
    case .commentAdded(let comment, let noticeAt, let duties):
      [.changed(.commented(number: comment.number))]
        + (isShown(comment) ? [.publish(comment: comment.number)] : [])
        + (noticeAt == nil ? [] : [alarm]) + perform(duties)
    case .updated(_, _, _, _, _, let duties):
      [.changed(.updated)] + perform(duties)
    case .notificationPlanned(_, let duties):
      perform(duties) + [alarm]
    case .notificationSuppressed(_, let suppression, let devices):
      [.suppressed(suppression, devices: devices.count), alarm]
    case .alarmPutOff:
      [alarm]
    case .read:
      [.noted]
    case .refreshed, .handedOver, .filesDropped:
      []
    case .erased:
      // The same event restates a request that lives on: nothing of it has changed then.
      terms == nil ? [.cancelAlarm] + dropFiles + [.noted] : [.noted]
    }
  }

  /// What is owed, oldest first, then the alarm.
  public var outstandingEffects: [SupportRequestEffect] {
    perform(duties) + (waiting.isEmpty ? [] : [alarm]) + dropFiles
  }

  /// True for what whoever holds an open stream is shown: the first three conditions of a notification. Spec: support
  /// requests 4, 6.2.
  func isShown(_ comment: SupportComment) -> Bool {
    terms?.channel == .mobileSDK && comment.isPublic && comment.role == .agent
  }

  private func perform(_ duties: [SupportDuty]) -> [SupportRequestEffect] { duties.map { .perform($0) } }

  private var alarm: SupportRequestEffect { waiting.lazy.map(\.at).min().map { .setAlarm($0) } ?? .cancelAlarm }

  private var dropFiles: [SupportRequestEffect] { orphans.isEmpty ? [] : [.dropFiles(tokens: orphans)] }
}
