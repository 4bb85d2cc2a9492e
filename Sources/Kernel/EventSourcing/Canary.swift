#if CARILLON_CANARIES
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// Faults planted on purpose, to see that the simulation finds them. No shipped build has any of it: the flag
  /// `CARILLON_CANARIES` is set for the hunt only, and one of them is then chosen by an environment variable.
  public enum Canary: String, CaseIterable, Sendable {
    case ackBeforeSync = "ack before sync"
    case eventDroppedInReplay = "one event dropped in replay"
    case timerNotRearmed = "timer not re-armed"
    case pushTwice = "push twice"
    case positionOffByOne = "position off by one"
    case filterInverted = "filter inverted"
    case secondsForMilliseconds = "seconds for milliseconds"
    case collapseKeepsOld = "collapse keeps the old one"
    case acknowledgedMailReturns = "acknowledged message comes back"
    case expiredSessionDelivered = "expired session delivered"
    case effectBeforeDurable = "effect before durable"
    case slotCountedShort = "slot counted once too few"
    case snoozeKeepsAgent = "snooze keeps the agent"
    case unregisteredStillTold = "unregistered device still told"
    case refreshedStillTold = "refreshed device still told"
    case positionGuessed = "position guessed"
    case noticeForgotten = "notice forgotten"
    case exchangeLeaked = "leak of an exchange"
    case expiredWithoutLetter = "expired without a dead letter"
    case overtakenVanishes = "a push that overtakes vanishes"
    case repetitionTaken = "a message sent twice taken twice"

    /// The name of the environment variable.
    public static let variable = "CARILLON_CANARY"
    public static let active: Canary? = getenv(variable).flatMap { Canary(rawValue: String(cString: $0)) }

    public static func sings(_ canary: Canary) -> Bool { active == canary }
  }
#endif
