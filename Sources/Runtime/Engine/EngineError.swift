public import CallbackDomain
public import ChatDomain

/// Why the engine refuses a request. `HTTPEdge` alone turns it into a status.
public enum EngineError: Error, Equatable, Sendable {
  /// No service of this name is configured: 404.
  case unknownServiceName(String)
  /// The chat refuses; the rejection says why.
  case chat(ChatRejection)
  /// No such device, or not one of the asker's: 404.
  case unknownDevice
  /// No such dead letter (any more): 404.
  case unknownDeadLetter
  /// A field of a registration or push is not usable: 400.
  case invalid(field: String, reason: String)
  /// A field that has to be there is not: 400.
  case missing(field: String)
  /// The callback refuses; the rejection says why.
  case callback(CallbackRejection)
  /// No callback can be had at that time: 400, with times at which it can. Spec: GMS 9.5.
  case slotUnavailable(alternatives: [FreeSlot])
  /// A named limit is reached: 503 with Retry-After.
  case limitReached(String)
  /// The server is stopping or still recovering: 503 with Retry-After.
  case unavailable
  /// The disk has no room for another event: 507.
  case storageFull
}
