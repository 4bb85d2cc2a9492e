import HTTPKit

/// The bounds of the routes for devices, browsers and topics.
extension EdgeLimits {
  // Bytes.
  /// A check-in, a registration form, or one of our own forms for devices; beyond it 413.
  static let deviceBodyBytesMaximum = 65_536
  /// A Web Push message; beyond it 413. Spec: RFC 8030, 7.2.
  static let webPushBodyBytesMaximum = 4_096
  /// `app`, `X-subtype`, `app_ver`, `cert`, `scope`, `appid`, a Firebase installation id, each.
  static let registrationFieldBytesMaximum = 256
  /// A sender id, or a VAPID key in Base64.
  static let senderBytesMaximum = 256
  /// `Topic` of a Web Push message. Spec: RFC 8030, 5.4.
  static let webPushTopicBytesMaximum = 32
  /// The signed token in a Web Push message's `Authorization`.
  static let vapidTokenBytesMaximum = 2_048

  // Counts.
  /// Senders that may share one registration. Spec: GCM S61.
  static let sendersMaximum = 100
  /// Tokens in one batch of subscriptions. Spec: GCM B6.4.
  static let topicBatchMaximum = 1_000
  /// APNs tokens that one request imports. Spec: GCM B8.5.
  static let importBatchMaximum = 100
  /// Requests to send that wait on lanes, or for the disk without a task; beyond it each has a task.
  static let begunSendsMaximum = 1_024
  /// Members of a batch that are worked on at the same time.
  static let batchWidth = 64

  // Seconds.
  /// How far ahead a sender may sign. Spec: RFC 8292, 2.
  static let vapidLifeMaximum: Int64 = 86_400
  /// By which clocks may differ.
  static let vapidClockSkew: Int64 = 60
  /// What a Firebase installation's token is said to be good for.
  static let installationTokenLife = 604_800
  /// The least that Chromium takes. Spec: GCM D2.5.
  static let checkInIntervalMinimum: Int64 = 43_200
}
