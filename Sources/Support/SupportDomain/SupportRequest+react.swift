import EventSourcing

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
