public import CallbackDomain
public import EngineKit

extension CallbackRejection: Refusal {}

/// No callback can be had at that time. Spec: GMS 9.5.
public struct NoSlot: Refusal {
  /// Times at which it can be had.
  public let alternatives: [FreeSlot]

  public init(alternatives: [FreeSlot]) { self.alternatives = alternatives }
}

extension EngineError {
  /// The callback refuses; the rejection says why.
  public static func callback(_ rejection: CallbackRejection) -> EngineError { .refused(rejection) }
}
