import EventSourcing

// Files in the conversation: lines of their own, of either side. What is in them was looked at where it came in.
extension ChatSession {
  /// - Parameter agentID: nil for the customer, whose own is no reason for a push.
  func sendFile(
    _ file: ChatFile, by agentID: String?, _ policy: ChatPolicy, _ now: Timestamp
  ) throws(ChatRejection) -> [ChatEvent] {
    guard let agentID else {
      try requireLive()
      try requireFile(file, policy)
      return [.filePosted(party: ChatParty.customer, file: file)]
    }
    let party = try requireJoined(agentID)
    try requireFile(file, policy)
    return [.filePosted(party: party, file: file)] + consequences(ofAgentLine: .file, policy, now)
  }

  private func requireFile(_ file: ChatFile, _ policy: ChatPolicy) throws(ChatRejection) {
    let limits = policy.limits
    if file.name.isEmpty { throw .empty(field: "name") }
    try require(file.name, field: "name", atMost: ChatLimits.fileNameBytesMaximum)
    guard file.byteCount > 0 else { throw .empty(field: "file") }
    guard file.byteCount <= limits.fileBytesMaximum else {
      throw .tooLong(field: "file", limit: limits.fileBytesMaximum)
    }
    guard annotations.fileCount < limits.filesMaximum else { throw .limitReached("files") }
    guard annotations.fileBytes <= limits.filesBytesMaximum - file.byteCount else { throw .limitReached("fileBytes") }
    try requireRoom(policy)
  }
}

extension ChatSession {
  /// A file that somebody has sent here; nil for one that nobody has, and once it is erased.
  public func file(_ id: String) -> ChatFile? {
    guard annotations.fileCount > 0 else { return nil }
    return transcript.last { $0.file?.id == id }?.file
  }
}
