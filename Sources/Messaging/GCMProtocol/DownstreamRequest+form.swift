import JSONEnvelope
public import PushDomain

/// The plain-text form of legacy HTTP. Spec: GCM B3.1.
extension DownstreamRequest {
  /// - Parameter form: the pairs of the form; of those with one name the last one counts.
  /// - Throws: always with a code: a plain-text request is never answered with 400.
  public init(form: [MailPair]) throws(DownstreamRefusal) {
    var fields: [ExactText: String] = [:]
    var data: [MailPair] = []
    for pair in form {
      if pair.key.hasPrefix(Self.dataPrefix) {
        data.append(MailPair(String(pair.key.dropFirst(Self.dataPrefix.count)), pair.value))
      } else {
        fields[ExactText(pair.key)] = pair.value
      }
    }
    guard let token = fields[ExactText("registration_id")], !token.isEmpty else {
      throw DownstreamRefusal(.missingRegistration, "Missing \"registration_id\" field")
    }
    self.init(target: .recipient(token))
    for pair in data where MessagePayload.isReserved(pair.key) { throw .reservedKey(pair.key) }
    self.data = data
    collapseKey = try Self.text(fields["collapse_key"], "collapse_key", DownstreamLimits.collapseKeyBytesMaximum)
    restrictedPackageName = try Self.text(
      fields["restricted_package_name"], "restricted_package_name", DownstreamLimits.packageNameBytesMaximum)
    delayWhileIdle = Self.isTrue(fields["delay_while_idle"])
    isDryRun = Self.isTrue(fields["dry_run"])
    if let text = fields["time_to_live"] {
      guard let seconds = Int(text), (0...DownstreamLimits.timeToLiveMaximum).contains(seconds) else {
        throw .timeToLive(text)
      }
      timeToLive = seconds
    }
    try MessagePayload.checkSize(self)
  }

  private static let dataPrefix = "data."

  private static func isTrue(_ text: String?) -> Bool { text == "1" || text?.lowercased() == "true" }

  private static func text(
    _ text: String?, _ field: String, _ limit: Int
  ) throws(DownstreamRefusal) -> String? {
    guard let text, !text.isEmpty else { return nil }
    guard text.utf8.count <= limit else {
      throw .invalidValue(field, text, "must not be longer than \(limit) bytes", code: .invalidParameters)
    }
    return text
  }
}
