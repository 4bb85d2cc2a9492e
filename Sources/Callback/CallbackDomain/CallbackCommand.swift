public import EventSourcing

/// What is asked of a callback, with the options of its service as they stand now: pure code does not look them up.
public struct CallbackCommand: Sendable {
  public var action: CallbackAction
  public var policy: CallbackPolicy

  public init(_ action: CallbackAction, policy: CallbackPolicy) {
    self.action = action
    self.policy = policy
  }
}

public enum CallbackAction: Sendable, Equatable {
  /// C1, C2. Slot and bounds of the service are reserved by the caller.
  case create(CallbackRequest)
  /// The one timer: each deadline that has passed is carried out, in the order in which they fell due. C3, C7, C8, C12.
  case alarm

  // The customer.
  /// C6; harmless on one that is routing or processing, or still scheduled.
  case connect
  /// C8; harmless unless queued.
  case snooze
  /// C10. `note` says by whom or why, for the record.
  case cancel(note: String)
  /// C13: fields merge, an empty value deletes; `schedule` nil leaves the time as it is.
  case update(fields: [NameValuePair], schedule: CallbackSchedule?)
  /// Somebody who has its id asks for the dialog that starts the chat, and does not show the user's key. `key` is what
  /// they get unless one was made before.
  case issueKey(String)
  /// The chat of this callback (same service id) has begun; as `connect` if it was queued.
  case chatStarted
  /// The chat is over: C11 if it was processing, else the customer has gone.
  case chatEnded

  // Agents. An id that does not fit is refused.
  /// C4, C5: the agent takes part in it; from the router, or by the agent's own choice.
  case agentAvailable(agentID: String)
  /// The agent has taken the offer: the time to accept is over, the time to connect begins.
  case agentAccepted(agentID: String)
  /// The agent does not take it (refused, not ready any more): the next one is found.
  case agentReleased(agentID: String)
  /// C9.
  case agentConnected(agentID: String)
  /// C11.
  case agentEnded(agentID: String)
  /// The call failed. - Parameter reason: `isReportable`.
  case agentFailed(agentID: String, reason: CallbackReason)

  /// The queue has taken over the push of this number (lazy: nobody waits for it).
  case pushHandedOver(number: Int)
  /// Erases what the customer brought; one that is not over ends as `CANCELLED`. Nothing on an absent one.
  case erase
}

/// A new time for a callback.
public struct CallbackSchedule: Sendable, Equatable, Codable {
  /// Nil for as soon as possible.
  public var desiredTime: Timestamp?
  public var slot: Timestamp?

  public init(desiredTime: Timestamp?, slot: Timestamp?) {
    self.desiredTime = desiredTime
    self.slot = slot
  }
}

/// The options of a callback's service. Spec: GMS 9.8.
public struct CallbackPolicy: Sendable, Equatable {
  /// `_user_confirm_timeout`.
  public var confirmTimeout = Duration.seconds(30)
  /// `_max_number_of_user_availability_confirmation_attempts`.
  public var confirmAttemptsMaximum = 3
  /// `_on_user_confirm_timeout` is `CONNECT-ANYWAY`.
  public var connectsUnconfirmed = true
  /// `_snooze_duration`.
  public var snoozeDuration = Duration.seconds(300)
  /// `_request_execution_time_buffer`: so much before its time a scheduled callback comes into the queue.
  public var executionBuffer = Duration.seconds(120)
  /// `_ttl`, from the desired time, or from the creation if that is later.
  public var timeToLive = Duration.seconds(86_400)
  /// `callback.agent_accept_timeout`: from the offer to `agentAccepted`, and then
  /// `callback.agent_connect_timeout` to `agentConnected`: no callback is stuck on an agent who went away.
  public var acceptTimeout = Duration.seconds(30)
  public var connectTimeout = Duration.seconds(300)
  /// `callback.keep_completed`: so long the record of one that is over can be asked for.
  public var keepCompleted = Duration.seconds(86_400)
  public var limits = CallbackLimits()

  public init() {}
}

public struct CallbackLimits: Sendable, Equatable {
  public var fieldsMaximum = 64
  public var nameBytesMaximum = 128
  public var valueBytesMaximum = 8_192
  /// All names and values.
  public var fieldBytesMaximum = 32_768
  public var noteBytesMaximum = 1_024

  public init() {}
}

/// Why a callback refuses.
public enum CallbackRejection: Error, Equatable, Sendable {
  /// No such callback (any more).
  case unknown
  /// It is there already: an id came twice.
  case exists
  /// It is over.
  case finished
  /// Not in this state.
  case wrongState(CallbackStatus)
  /// Another agent has it, or none.
  case notYours
  case tooLong(field: String, limit: Int)
  case tooManyFields(limit: Int)
  case invalid(field: String, reason: String)
}
