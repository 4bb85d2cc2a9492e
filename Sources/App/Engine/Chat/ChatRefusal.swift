public import ChatDomain

extension ChatRejection: Refusal {}

extension EngineError {
  /// The chat refuses; the rejection says why.
  public static func chat(_ rejection: ChatRejection) -> EngineError { .refused(rejection) }
}
