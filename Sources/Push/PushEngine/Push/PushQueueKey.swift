/// The names of queues.
enum PushQueueKey {
  /// What the mailboxes of installations and of app servers begin with.
  private static let mailboxes = ["gcm-", "ccs-"]

  /// What the queue lies beside: an installation, a sender; of a device's address itself, which the device has too.
  static func owner(of key: String) -> Substring {
    guard let prefix = mailboxes.first(where: { key.hasPrefix($0) }) else { return key[...] }
    return key.dropFirst(prefix.count)
  }
}
