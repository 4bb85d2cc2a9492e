public import ChatDomain
public import EngineKit

extension ChatRejection: Refusal {}

extension EngineError {
  /// The chat refuses; the rejection says why.
  public static func chat(_ rejection: ChatRejection) -> EngineError { .refused(rejection) }
}
