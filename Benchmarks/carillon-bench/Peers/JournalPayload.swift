/// What those store whose events are not chats': 200 bytes of text.
enum JournalPayload {
  static let text: String = {
    var random = SplitMix64(seed: 1)
    return String((MessageText.first(of: 1) + MessageText.make(&random)).prefix(200))
  }()
}
