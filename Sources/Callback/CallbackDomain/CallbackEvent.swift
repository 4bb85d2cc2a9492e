public import EventSourcing

/// What has happened to a callback.
public enum CallbackEvent: JournaledEvent {
  /// - Parameter expiresAt: the end of its time to live.
  case created(CallbackRequest, expiresAt: Timestamp, dueAt: Timestamp?)
  /// C3.
  case cameDue
  /// An agent is held for it.
  /// - Parameter until: when the agent is let go without a word; nil while the customer is asked.
  case agentReserved(agentID: String, until: Timestamp?)
  /// C4, C7: the customer is asked for the `attempt`-th time since the agent came.
  /// - Parameter push: nil without a device.
  case confirmationAsked(attempt: Int, until: Timestamp, push: CallbackPush?)
  /// To `ROUTING`. - Parameter push: what the customer is told; nil if they know already, or have no device.
  case routed(CallbackRouting, push: CallbackPush?)
  /// C8: the agent is free again.
  case snoozed(until: Timestamp)
  case snoozeEnded
  /// - Parameter until: when the agent is let go if not connected; nil while the customer is asked.
  case agentAccepted(agentID: String, until: Timestamp?)
  case agentReleased(agentID: String, CallbackRelease)
  /// C9.
  case connected(agentID: String)
  /// - Parameters:
  ///   - note: who or why, for people; empty if there is nothing to say.
  ///   - keptUntil: until then its record can be asked for.
  case completed(CallbackReason, note: String, keptUntil: Timestamp)
  /// C13.
  case rescheduled(CallbackSchedule, expiresAt: Timestamp, dueAt: Timestamp?)
  /// Merged into its fields; an empty value deletes.
  case fieldsChanged([NameValuePair])
  case pushHandedOver(number: Int)
  /// Its record is no longer kept: nothing follows.
  case forgotten
  /// The whole state, without what the customer brought.
  case erased(state: [UInt8])
  /// The alarm came early by the calendar (the clock was set back, or runs slower than timers do): it is set anew.
  case alarmPutOff
  /// A key was made for this callback alone: it opens its chat.
  case keyIssued(String)
}

/// Why a callback went to `ROUTING`. The raw values are frozen (journal).
public enum CallbackRouting: UInt8, PayloadCode, Codable {
  /// C5: nobody had to be asked.
  case agentReady = 1
  /// C6.
  case confirmed = 2
  /// C7, `CONNECT-ANYWAY`.
  case unconfirmed = 3
  /// 9.1 row 1: the customer dials at once; or its time has come and it waits for no agent.
  case immediate = 4
  /// The customer has started the chat.
  case chatStarted = 5
}

/// Why an agent is no longer held. The raw values are frozen (journal).
public enum CallbackRelease: UInt8, PayloadCode, Codable {
  /// Did not accept, or did not connect, in time.
  case timeout = 1
  /// Said so: refused, or is not ready any more.
  case agent = 2
  /// Another agent has taken over.
  case replaced = 3
}

/// One push of a callback: which dialog the app is to fetch. Spec: GMS 9.6.
public struct CallbackPush: Sendable, Equatable, Codable {
  /// 1, 2, 3, … within the callback.
  public let number: Int
  public let dialog: CallbackDialog
  /// From then on it is worthless; nil for the time to live of pushes.
  public let expiry: Timestamp?

  public init(number: Int, dialog: CallbackDialog, expiry: Timestamp? = nil) {
    self.number = number
    self.dialog = dialog
    self.expiry = expiry
  }
}

/// What a callback wants done.
public enum CallbackEffect: Sendable, Equatable {
  /// For index, router and agents' streams: read the state. Comes with each event that changes what they see, but the
  /// last (`forgotten`).
  case changed(CallbackChange)
  case setAlarm(at: Timestamp)
  case cancelAlarm
  case push(CallbackPush)
  /// The agent did not react in time: is to be taken for not ready.
  case agentMissed(agentID: String)
  /// This key opens its chat from now on.
  case keyIssued(String)
  case forgotten
}

/// What agents' streams say of it.
public enum CallbackChange: Sendable, Equatable {
  case scheduled, queued, offered(agentID: String), accepted(agentID: String), released(agentID: String)
  case confirming(attempt: Int), snoozed, routing, connected(agentID: String), completed(CallbackReason)
  case updated

  /// Whom it is about.
  public var agentID: String? {
    switch self {
    case .offered(let id), .accepted(let id), .released(let id), .connected(let id): id
    case .scheduled, .queued, .confirming, .snoozed, .routing, .completed, .updated: nil
    }
  }
}
