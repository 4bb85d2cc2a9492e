import JSONEnvelope

/// Changes to a device group, from `POST /gcm/notification`. Spec: GCM B7.2, B7.3.
public enum GroupRequest: Sendable, Equatable {
  case create(name: String, tokens: [String])
  /// - Parameter name: guards against a wrong key.
  case add(key: String, name: String?, tokens: [String])
  case remove(key: String, name: String?, tokens: [String])

  /// - Throws: its text is the `error` of the 400 that answers.
  public init(json bytes: [UInt8]) throws(DownstreamRefusal) {
    self = try bytes.withUnsafeBytes { buffer in
      Result { () throws(DownstreamRefusal) in try GroupRequest(try RequestFields(parsing: buffer)) }
    }.get()
  }

  private init(_ fields: RequestFields) throws(DownstreamRefusal) {
    let name = try fields.string("notification_key_name", limit: DownstreamLimits.groupNameBytesMaximum)
      .flatMap { $0.isEmpty ? nil : $0 }
    let key = try fields.string("notification_key").flatMap { $0.isEmpty ? nil : $0 }
    guard let tokens = try fields.strings("registration_ids"), !tokens.isEmpty else {
      throw DownstreamRefusal(nil, GroupAnswer.noValidTokens, field: "registration_ids")
    }
    guard tokens.count <= DownstreamLimits.targetsMaximum else {
      throw DownstreamRefusal(nil, "too many registration ids", field: "registration_ids")
    }
    switch try fields.string("operation") {
    case "create":
      guard let name else { throw .missing("notification_key_name") }
      self = .create(name: name, tokens: tokens)
    case let operation? where operation == "add" || operation == "remove":
      guard let key else { throw .missing("notification_key") }
      self =
        operation == "add" ? .add(key: key, name: name, tokens: tokens) : .remove(key: key, name: name, tokens: tokens)
    case let other?: throw .invalidValue("operation", other, "must be \"create\", \"add\" or \"remove\"")
    case nil: throw .missing("operation")
    }
  }
}

/// What a group request, or a message to a group, is answered with. Spec: GCM B4.5, B7.
public enum GroupAnswer {
  // The words that clients look for. Spec: GCM B7.6.
  public static let exists = "notification_key already exists"
  public static let notFound = "notification_key not found"
  public static let noValidTokens = "no valid registration ids"
  public static let nameMismatch = "notification_key_name doesn't match the group name of the notification_key"
  public static let tooManyMembers = "too many registration ids in the group"

  /// JSON text.
  public static func key(_ key: String) -> [UInt8] { object("notification_key", key) }
  public static func error(_ text: String) -> [UInt8] { object("error", text) }

  private static func object(_ name: StaticString, _ text: String) -> [UInt8] {
    JSONWriter.object(capacity: 64 + text.utf8.count) { $0.member(name, text) }
  }

  static func write(success: Int, failed: [String], into answer: inout JSONObjectWriter) {
    answer.member("success", success)
    answer.member("failure", failed.count)
    if !failed.isEmpty { answer.member("failed_registration_ids", failed) }
  }
}

extension DownstreamRefusal {
  fileprivate static func missing(_ field: String) -> Self { Self(nil, "Missing \"\(field)\" field", field: field) }
}
