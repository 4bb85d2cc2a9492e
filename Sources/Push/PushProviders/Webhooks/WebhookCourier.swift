public import EventSourcing
import OptionKit
public import PushDomain

/// Posts JSON to other people's servers, within bounds and signed; shared by all providers that post.
///
/// It follows no redirect, repeats nothing, and logs nothing: URLs, tokens and texts are other people's secrets.
/// Must be shut down before it goes.
public final class WebhookCourier: Sendable {
  let settings: WebhookSettings
  let poster: OutboundPoster
  private let trustRoots = OptionCache { TrustRoots(pem: $0) }

  public init(_ settings: WebhookSettings = WebhookSettings()) {
    self.settings = settings
    poster = OutboundPoster(settings, AddressBook(SystemNameResolver(), settings))
  }

  /// With another source of addresses, for tests.
  init(_ settings: WebhookSettings, _ book: AddressBook) {
    self.settings = settings
    poster = OutboundPoster(settings, book)
  }

  /// Ends what is in flight and closes every connection. What is posted later is not sent, and may be tried again.
  public func shutdown() async { await poster.shutdown() }

  /// Reads files of certificates again when they are next needed.
  public func reload() { trustRoots.forget() }

  /// The certificates of a file that an option names; nil if it names none.
  func trust(_ option: OptionKey<String?>, _ options: PushOptions) throws(OptionProblem) -> TrustRoots? {
    guard let file = options[option] else { return nil }
    return try trustRoots.value(ofFile: file, option: option.name)
  }

  /// What is wrong with a URL that somebody is about to set, its name's addresses included. Spec: providers 4.5.
  func objection(to url: String, _ policy: EndpointPolicy) async -> String? {
    guard let url = WebhookURL(url) else { return "invalid URL" }
    return await poster.objection(to: url, policy)
  }

  /// One POST of a JSON text.
  ///
  /// 410 is `unregistered`: what that ends is the caller's to say. Spec: providers 4.1 and 4.2.
  /// - Parameters:
  ///   - id: goes out as `webhook-id`; the same for every attempt. Letters, digits, `_` and `-`.
  ///   - policy: what URLs may lead to; nil for URLs of the operator's own.
  ///   - success: which statuses count as delivered.
  ///   - caFile: certificates that are trusted beside the system's (option `webhooks.ca_file`).
  ///   - authorization: the value of that header.
  ///   - headers: further ones.
  ///   - answerTimeout: how long the answer may take to begin, all in all; nil leaves it to the settings.
  ///   - now: when the attempt began; goes out as `webhook-timestamp`.
  ///   - noteAnswer: is shown the beginning of an answer that is no success.
  public func post(
    _ event: [UInt8], to url: String, id: String, secrets: WebhookSecrets = .none, policy: EndpointPolicy?,
    success: WebhookSuccess = .anySuccess, caFile: String? = nil, authorization: String? = nil,
    headers: [(name: String, value: String)] = [], answerTimeout: Duration? = nil, now: Timestamp,
    noteAnswer: (([UInt8]) -> Void)? = nil
  ) async -> PushOutcome {
    guard let url = WebhookURL(url) else { return .refused(reason: "invalid URL") }
    guard Self.isIdentifier(id) else { return .refused(reason: "invalid id") }
    var post = OutboundPost(url: url, body: event, route: policy.map { .guarded($0) } ?? .operators)
    post.answerTimeout = answerTimeout
    post.keepsAnswer = noteAnswer != nil
    post.headers =
      [("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", "\(now.wholeSeconds)")] + headers
    if let signatures = secrets.signatures(id: id, at: now, event) {
      post.headers.append(("webhook-signature", signatures))
    }
    if let authorization {
      guard authorization.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
        return .refused(reason: "invalid authorization")
      }
      post.headers.append(("Authorization", authorization))
    }
    let roots = WebhookOptions.keys.trustRootsFile
    do { post.trust = try trust(roots, PushOptions([roots.name: caFile ?? ""])) } catch {
      return .laneBroken(reason: error.description)
    }
    do {
      let answer = try await poster.post(post)
      let outcome = Self.outcome(of: answer, success, now)
      if case .delivered = outcome {} else { noteAnswer?(answer.body) }
      return outcome
    } catch { return error.outcome }
  }

  /// What the body does not say: the event's tag, such as `chat.newagentmessage`, by which a receiver can tell one kind of
  /// push from another. A tag that no header can hold is left out: who publishes may call an event anything.
  static func headers(of message: PushMessage) -> [(name: String, value: String)] {
    let tag = message.tag
    guard !tag.isEmpty, tag.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return [] }
    return [("carillon-event", tag)]
  }

  /// Spec: providers 4.2.
  static func outcome(of answer: OutboundAnswer, _ success: WebhookSuccess, _ now: Timestamp) -> PushOutcome {
    switch answer.status {
    case 200: .delivered()
    case 201...299 where success == .anySuccess: .delivered()
    case 410: .unregistered(reason: answer.reason)
    case 429, 502, 503, 504: .retryable(reason: answer.reason, after: answer.pause(now: now))
    case 408, 425: .retryable(reason: answer.reason)
    // It may be different in a minute, as deployments answer 404, but not for ever.
    case 400...499: .rejected(reason: answer.reason)
    // Redirects, and what is wrong with the receiver for now.
    default: .retryable(reason: answer.reason)
    }
  }

  /// No full stop: it separates the parts of what is signed. Spec: providers 4.1.
  private static func isIdentifier(_ id: String) -> Bool {
    (1...128).contains(id.utf8.count)
      && id.utf8.allSatisfy {
        ($0 >= 48 && $0 <= 57) || ($0 >= 65 && $0 <= 90) || ($0 >= 97 && $0 <= 122) || $0 == UInt8(ascii: "_")
          || $0 == UInt8(ascii: "-")
      }
  }
}

extension WebhookSuccess {
  /// What the option says; 200 if it is not set.
  /// - Throws: the option is neither.
  public init(_ options: PushOptions) throws(OptionProblem) {
    self = try options.judged(WebhookOptions.keys.success)
  }
}

extension PushOptions {
  /// - Throws: the option is set, and to what it cannot be.
  func judged<Value>(_ key: OptionKey<Value>) throws(OptionProblem) -> Value {
    guard !isMalformed(key) else { throw OptionProblem(malformed: key.name) }
    return self[key]
  }

  /// Whether an option is set to what it cannot be.
  func isMalformed<Value>(_ key: OptionKey<Value>) -> Bool {
    text(of: key.name).map { !$0.isEmpty && key.written($0) == nil } ?? false
  }
}
