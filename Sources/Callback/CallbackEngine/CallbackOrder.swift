public import CallbackDomain
public import EventSourcing
import OptionKit

/// What an app asks for when it makes a callback. Spec: GMS 9.1.
public struct CallbackOrder: Sendable, Equatable {
  /// All fields of the request, in their order, as they came.
  public var fields: [NameValuePair]
  /// The `gms_user` header.
  public var userKey: String?
  /// The request's languages (`Accept-Language`), for an order that names none.
  public var acceptLanguage: String?

  public init(fields: [NameValuePair], userKey: String? = nil, acceptLanguage: String? = nil) {
    self.fields = fields
    self.userKey = userKey
    self.acceptLanguage = acceptLanguage
  }
}

/// A callback as the outside sees it; the state of one moment, durable.
public struct CallbackView: Sendable, Equatable {
  public let id: String
  public let request: CallbackRequest
  public let status: CallbackStatus
  public let reason: CallbackReason?
  public let note: String
  public let createdAt: Timestamp
  public let queuedAt: Timestamp?
  public let expiresAt: Timestamp
  public let dueAt: Timestamp?
  public let agentID: String?
  /// Who had it at its end.
  let lastAgentID: String?
  public let agentHasAccepted: Bool
  /// When the agent who is held is let go, if they have not taken it, or not connected, by then.
  public let agentUntil: Timestamp?
  public let confirmation: Callback.Confirmation?
  public let snoozedUntil: Timestamp?
  /// The chat session id of its chat, once that has begun.
  public var chatID: String?
  /// Names of the fields that its record shows (`_customer_lookup_keys`).
  public var lookupKeys: [String] = CallbackOptions.keys.lookupKeys.builtIn
  /// What dialogs say of the service's options.
  public var snoozeMinutes = 5
  /// `callback.cancel_item_action` is `snooze`.
  public var cancelItemSnoozes = false

  /// Nil for one that is not there (yet, or any more).
  init?(_ callback: borrowing Callback, id: String) {
    guard let request = callback.request else { return nil }
    self.id = id
    self.request = request
    status = callback.status
    reason = callback.reason
    note = callback.note
    createdAt = callback.createdAt
    queuedAt = callback.queuedAt
    expiresAt = callback.expiresAt
    dueAt = callback.dueAt
    agentID = callback.agentID
    lastAgentID = callback.lastAgentID
    agentHasAccepted = callback.agentHasAccepted
    agentUntil = callback.agentUntil
    confirmation = callback.confirmation
    snoozedUntil = callback.snoozedUntil
  }
}

/// One time slot and the room left in it.
public struct FreeSlot: Sendable, Equatable {
  public let start: Timestamp
  public let free: Int

  public init(start: Timestamp, free: Int) {
    self.start = start
    self.free = free
  }
}

/// Who looks for callbacks.
public enum CallbackSeeker: Sendable, Equatable {
  /// May list them all, and find them by anything.
  case `operator`
  /// Names a key that callbacks are found by, and finds their own and those that are nobody's.
  /// - Parameter userKey: the `gms_user` that the request shows; nil for none.
  case customer(userKey: String?)
}

/// Which callbacks to find. Spec: GMS 9.5.
public struct CallbackQuery: Sendable, Equatable {
  public struct Condition: Sendable, Equatable {
    /// `_id`, `_service_name`, `_callback_state`, `_callback_reason`, `_desired_time`, or a field of the request.
    public var name: String
    public var value: String
    /// `!` before the value.
    public var isNegated: Bool

    public init(name: String, value: String, isNegated: Bool = false) {
      self.name = name
      self.value = value
      self.isNegated = isNegated
    }
  }

  /// Nil for all services.
  public var service: String?
  public var conditions: [Condition]
  /// `operand=OR`: one condition is enough.
  public var needsOneOnly = false
  public var limit = 500
  /// Where a list goes on: `ListPage.next` of the page before.
  public var after: String?

  public init(service: String?, conditions: [Condition]) {
    self.service = service
    self.conditions = conditions
  }
}

/// `check-queue-position`. Spec: GMS 9.2.
public struct CallbackQueuePosition: Sendable, Equatable {
  /// 1 for the next; 0 for one that does not wait.
  public let position: Int
  /// Seconds, as far as the last callbacks tell.
  public let etaSeconds: Int
  public let totalWaiting: Int
  /// An agent is held for it.
  public let agentIsReady: Bool
}

/// What an agent reports of a callback. Spec: GMS 12.3.
public enum CallbackReport: Sendable, Equatable {
  /// Wants to serve it.
  case available
  case accepted
  /// Does not take it.
  case released
  case connected
  case ended
  case failed(CallbackReason)
}

/// What an operator sees of the services' queues.
public struct CallbackQueueFilter: Sendable, Equatable {
  /// Nil for all services.
  public var service: String?
  public var from: Timestamp
  public var to: Timestamp
  /// Empty for all.
  public var statuses: Set<CallbackStatus> = []
  public var limit = 500
  /// Where a list goes on: `ListPage.next` of the page before.
  public var after: String?

  public init(service: String?, from: Timestamp, to: Timestamp) {
    self.service = service
    self.from = from
    self.to = to
  }
}
