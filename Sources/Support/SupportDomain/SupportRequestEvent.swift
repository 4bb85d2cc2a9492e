public import EventSourcing

/// What happened to a request. Tags and field numbers are frozen.
public enum SupportRequestEvent: Sendable, Equatable, Codable {
  /// With its first comment. - Parameter duties: what is owed from now on.
  case created(
    SupportRequestTerms, SupportComment, tags: [String], fields: [SupportField], duties: [SupportDuty])
  /// - Parameter noticeAt: when its notification is to be planned; nil if there is to be none, or it is planned now.
  case commentAdded(SupportComment, noticeAt: Timestamp?, duties: [SupportDuty])
  /// What is nil has not changed. - Parameter by: the number of who changed it; nil if nobody is known.
  case updated(
    by: Int64?, status: SupportStatus?, tags: [String]?, fields: [SupportField], assignee: Int64?, duties: [SupportDuty]
  )
  /// Who is told of a comment. - Parameter duties: one for each part, never empty. Spec: `NotificationPlanned`.
  case notificationPlanned(comment: Int, duties: [SupportDuty])
  /// - Parameter devices: those that are not told; empty for all. Spec: `NotificationSuppressed`.
  case notificationSuppressed(comment: Int, SupportSuppression, devices: [Int])
  /// An open stream has shown a comment whose notification waits.
  case refreshed(comment: Int, device: Int)
  case read(upTo: Int, device: Int?)
  case handedOver(number: Int)
  /// `state` is all that is left, as `encodeState` wrote it.
  case erased(state: [UInt8])
  /// The files of an erased one are gone as well.
  case filesDropped
  /// The alarm was early by the calendar: it is set once more.
  case alarmPutOff

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 9 }
}
