// What the customer does over REST. Never a reason for a push, and no return from the background. Spec: GMS 3.3, B12.
extension ChatSession {
  func customerLine(
    _ type: TranscriptEventType, _ text: String, field: String, _ policy: ChatPolicy
  ) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    try requireText(text, field: field, policy)
    try requireRoom(policy)
    return [.linePosted(party: ChatParty.customer, type: type, text: text)]
  }

  func customerTyping(_ started: Bool, _ preview: String, _ policy: ChatPolicy) throws(ChatRejection) -> [ChatEvent] {
    try requireLive()
    try require(preview, field: "message", atMost: policy.limits.textBytesMaximum)
    try requireRoom(policy)
    let line = ChatEvent.linePosted(
      party: ChatParty.customer, type: started ? .typingStarted : .typingStopped, text: "")
    return preview.isEmpty ? [line] : [line, .previewTyped(text: preview)]
  }

  /// Ends the chat, full transcript or not; a push that waits is pointless now. Spec: GMS 6.2, B18.
  func customerLeave() throws(ChatRejection) -> [ChatEvent] {
    try requireStarted()
    guard isLive else { return [] }
    return pushDelayCancellation + endOfOffer(.ended) + [.chatEnded(party: ChatParty.customer, cause: .party)]
  }
}
