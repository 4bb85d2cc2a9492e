/// The options of a chat's service, resolved. Spec: GMS 8.2 and 8.3.
public struct ChatPolicy: Sendable, Equatable {
  /// What becomes of a chat whose Comet session expires without a word. Spec: GMS 6.6.
  public enum CometLoss: String, Sendable, CaseIterable { case background, ignore }

  /// `_client_timeout_notification`: from the first qualifying event to the first push of a background phase.
  public var pushDelay: Duration
  /// `_client_timeout_notification_message`.
  public var pushMessage: String
  /// `_agent_timeout_notification_message`; empty switches the notice off.
  public var absenceNotice: String
  /// The notice when the customer is back; empty (the default) switches it off.
  public var returnNotice: String
  /// Event types that trigger no push and do not appear in `lastTranscript`. Spec: GMS 6.4.
  public var pushFilter: Set<TranscriptEventType>
  /// `on_comet_lost`.
  public var cometLoss: CometLoss
  /// `_ttl`: life of an instance after its last use.
  public var timeToLive: Duration
  /// `_open_by_service_id`: its service id alone opens also a chat that has a user.
  public var opensByServiceID: Bool
  public var limits: ChatLimits

  public init(
    pushDelay: Duration = .seconds(90), pushMessage: String = "New message from Agent",
    absenceNotice: String = "customer is not online", returnNotice: String = "",
    pushFilter: Set<TranscriptEventType> = [.typingStarted, .typingStopped], cometLoss: CometLoss = .background,
    timeToLive: Duration = .seconds(86_400), opensByServiceID: Bool = false, limits: ChatLimits = ChatLimits()
  ) {
    self.pushDelay = pushDelay
    self.pushMessage = pushMessage
    self.absenceNotice = absenceNotice
    self.returnNotice = returnNotice
    self.pushFilter = pushFilter
    self.cometLoss = cometLoss
    self.timeToLive = timeToLive
    self.opensByServiceID = opensByServiceID
    self.limits = limits
  }

  /// Whether a line of this type is one that the customer is pushed. Who filters URLs filters files, which their apps may
  /// know as nothing else.
  func pushes(_ type: TranscriptEventType) -> Bool {
    !pushFilter.contains(type) && !(type == .file && pushFilter.contains(.pushURL))
  }
}

/// The bounds of one chat.
public struct ChatLimits: Sendable, Equatable {
  /// UTF-8 bytes of one text.
  public var textBytesMaximum = 65_536
  public var nicknameBytesMaximum = 256
  /// Pairs of attached data, and UTF-8 bytes of one name or value.
  public var dataPairsMaximum = 256
  public var dataBytesMaximum = 16_384
  public var transcriptEventsMaximum = 100_000
  public var agentsMaximum = 32
  public var cometSessionsMaximum = 32
  /// Remembered events between the first qualifying event and the push (the oldest are left out beyond it).
  public var rememberedEventsMaximum = 1_000
  /// Lines that agents write for agents.
  public var privateNotesMaximum = 1_000
  /// Files of one chat, bytes of one of them and of all.
  public var filesMaximum = 200
  public var fileBytesMaximum = 20_971_520
  public var filesBytesMaximum = 268_435_456
  /// UTF-8 bytes of a file's name: as many as file systems take.
  public static let fileNameBytesMaximum = 255
  /// What an agent notes when they are done: UTF-8 bytes of the disposition and of each tag, and tags.
  public static let dispositionBytesMaximum = 256
  public static let tagBytesMaximum = 128
  public static let tagsMaximum = 32
  /// Agents whose read marks are kept; the oldest mark goes first.
  static let readMarksMaximum = 64
  /// Notifications in which events are sent again one by one; what is more than that comes in one.
  static let repeatedNotificationsMaximum = 32

  public init() {}
}
