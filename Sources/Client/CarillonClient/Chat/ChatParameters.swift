/// What the start of a chat brings along. Spec: GMS 3.4.
public struct ChatParameters: Sendable {
  /// Where the pushes go while the app is in the background.
  public struct Push: Sendable {
    /// `customhttp`, `httpcb`, `fcm`, `gcm`, `android` or `ios`.
    public var type: String
    /// Device token, registration token, or (type `httpcb`) the URL to post to.
    public var deviceID: String
    /// The named set of credentials; nil for the defaults.
    public var provider: String?
    /// Language tag for texts, such as `de`.
    public var language: String?
    /// Use the `debug.` credentials.
    public var debug: Bool

    public init(type: String, deviceID: String, provider: String? = nil, language: String? = nil, debug: Bool = false) {
      self.type = type
      self.deviceID = deviceID
      self.provider = provider
      self.language = language
      self.debug = debug
    }
  }

  public var firstName: String
  public var lastName: String
  /// The name shown in the transcript; if empty, the server takes first and last name.
  public var displayName: String
  public var email: String
  public var subject: String
  /// The first text, posted right after the join; empty for none.
  public var message: String
  public var push: Push?
  /// Attached data. Names that begin with `_` are options.
  public var data: [(name: String, value: String)]

  public init(
    firstName: String = "", lastName: String = "", displayName: String = "", email: String = "",
    subject: String = "", message: String = "", push: Push? = nil, data: [(name: String, value: String)] = []
  ) {
    self.firstName = firstName
    self.lastName = lastName
    self.displayName = displayName
    self.email = email
    self.subject = subject
    self.message = message
    self.push = push
    self.data = data
  }

  /// The fields of the start form.
  var fields: [(name: String, value: String)] {
    var fields = [(name: "notify_by", value: "comet")]
    let optional = [
      ("firstName", firstName), ("lastName", lastName), ("userDisplayName", displayName), ("email", email),
      ("subject", subject), ("message", message), ("push_notification_type", push?.type ?? ""),
      ("push_notification_deviceid", push?.deviceID ?? ""), ("push_notification_provider", push?.provider ?? ""),
      ("push_notification_language", push?.language ?? ""),
      ("push_notification_debug", push?.debug == true ? "true" : ""),
    ]
    fields += optional.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    return fields + data
  }
}
