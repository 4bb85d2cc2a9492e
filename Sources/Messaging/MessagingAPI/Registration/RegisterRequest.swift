import GCMProtocol
import HTTPKit
import MessagingEngine

/// What a device asks of the registration endpoint, by the fields of its form. Spec: GCM D3.2, D3.3, D3.6, D3.7.
enum RegisterRequest: Equatable {
  case register(RegistrationForm)
  /// - Parameters:
  ///   - instanceID: of a request in the Instance ID form, which is answered in its own words.
  ///   - isWhole: the app is gone. Chromium, which means one registration by the same form, says who it is.
  case unregister(app: String, subtype: String?, senders: [String], instanceID: String?, isWhole: Bool)
  case subscribe(token: String, topic: String, on: Bool)

  init(_ fields: RequestParameters) throws(RegisterError) {
    // The names of Instance ID's options begin with `X-`; older clients leave that out of some.
    let instanceID = try fields.field("appid", "X-appid")
    let subtype = try fields.field("X-subtype", "subtype")
    let isDelete = fields.isTrue("delete")
    if let named = fields.first(of: "X-gcm.topic", "gcm.topic") {
      guard let topic = TopicName.named(by: named), TopicName.isValid(topic),
        let token = try fields.field("sender", limit: DownstreamLimits.recipientBytesMaximum)
      else { throw .invalidParameters }
      self = .subscribe(token: token, topic: topic, on: !isDelete)
      return
    }
    guard let app = try fields.field("app") else { throw .invalidParameters }
    let senders = try Self.senders(fields.first(of: "sender", "X-sender") ?? "")
    guard !isDelete else {
      self = .unregister(
        app: app, subtype: subtype, senders: senders == ["*"] ? [] : senders, instanceID: instanceID,
        isWhole: subtype == nil && instanceID == nil && fields["gcm_unreg_caller"] == nil)
      return
    }
    guard !senders.isEmpty else { throw .invalidSender }
    var form = RegistrationForm(
      app: app, senders: senders, subtype: subtype, instanceID: instanceID,
      platform: Self.isBrowser(app: app, subtype: subtype) ? "CHROME" : "ANDROID")
    form.appVersion = try fields.field("app_ver", "X-app_ver")
    form.certificate = try fields.field("cert", "X-cert")
    form.scope = try fields.field("X-scope", "scope")
    self = .register(form)
  }

  /// A list with commas between; one named twice counts once. Spec: GCM D3.2.
  static func senders(_ list: String) throws(RegisterError) -> [String] {
    var senders: [String] = []
    for part in list.split(separator: ",") {
      let sender = String(part.drop { $0 == " " })
      guard !sender.isEmpty, sender.utf8.count <= EdgeLimits.senderBytesMaximum else { throw .invalidSender }
      if !senders.contains(sender) { senders.append(sender) }
      guard senders.count <= EdgeLimits.sendersMaximum else { throw .invalidSender }
    }
    return senders
  }

  /// Browsers register themselves, their pages (`wp:…`) and their extensions: 32 letters from a to p.
  private static func isBrowser(app: String, subtype: String?) -> Bool {
    app.hasPrefix("org.chromium.") || app.hasPrefix("com.chrome.") || subtype?.hasPrefix("wp:") == true
      || app.utf8.count == 32 && app.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "p")).contains($0) }
  }
}

/// `Error=…`, in an answer with status 200. Spec: GCM D3.4.
enum RegisterError: String, Error {
  case authenticationFailed = "AUTHENTICATION_FAILED"
  case invalidSender = "INVALID_SENDER"
  case invalidParameters = "INVALID_PARAMETERS"
  case tooManyRegistrations = "TOO_MANY_REGISTRATIONS"
  case tooManySubscribers = "TOO_MANY_SUBSCRIBERS"
  /// To be tried again, so the status is 503.
  case unavailable = "SERVICE_NOT_AVAILABLE"

  init(_ failure: InstallationFailure) {
    switch failure {
    case .unauthenticated: self = .authenticationFailed
    case .invalidSender: self = .invalidSender
    case .invalidParameters, .notRegistered: self = .invalidParameters
    case .tooManyRegistrations: self = .tooManyRegistrations
    case .tooManyTopics: self = .tooManySubscribers
    case .unavailable: self = .unavailable
    }
  }
}

extension RequestParameters {
  /// The first of these fields that is there and not empty.
  /// - Throws: if it is longer than `limit` bytes.
  fileprivate func field(
    _ names: String..., limit: Int = EdgeLimits.registrationFieldBytesMaximum
  ) throws(RegisterError) -> String? {
    for name in names {
      guard let value = self[name], !value.isEmpty else { continue }
      guard value.utf8.count <= limit else { throw .invalidParameters }
      return value
    }
    return nil
  }
}
