import EventSourcing
import HTTPKit
import JSONEnvelope
import TextEncoding

/// Asks one provider what it is, which keys it has, and what a code is worth. All that it answers is bounded, and none of
/// it is believed beyond what its signature says.
actor OpenIDProvider {
  /// What it has said of itself.
  struct Profile: Sendable {
    let document: OpenIDDocument
    let keys: [VerificationKey]
    let readAt: Timestamp
  }

  /// What a code was exchanged for. Spec: OpenID Connect Core 1.0, 3.1.3.3.
  struct Tokens: Sendable {
    let id: String
    let access: String?
  }

  nonisolated let settings: OpenIDSettings
  private let limits: OpenIDLimits
  private let now: @Sendable () -> Timestamp
  private var known: Profile?
  /// Somebody asks already: everybody else waits for the same answer.
  private var reading: Task<Result<Profile, OpenIDRefusal>, Never>?
  /// When keys were asked for last because of one that was not known.
  private var keysAskedAt: Timestamp?

  init(_ settings: OpenIDSettings, limits: OpenIDLimits, now: @escaping @Sendable () -> Timestamp) {
    self.settings = settings
    self.limits = limits
    self.now = now
  }

  /// What it is, as it has said at most `OpenIDLimits.documentLife` ago.
  func profile() async throws(OpenIDRefusal) -> Profile {
    if let known, now() < known.readAt.advanced(by: limits.documentLife) { return known }
    return try await read()
  }

  /// The same, read anew because of a key that is not known; what is known if that was so a moment ago.
  func profileOfNewKeys() async throws(OpenIDRefusal) -> Profile {
    let now = now()
    if reading == nil, let known, let keysAskedAt, now < keysAskedAt.advanced(by: limits.keysPause) { return known }
    keysAskedAt = now
    return try await read()
  }

  private func read() async throws(OpenIDRefusal) -> Profile {
    let task = reading ?? Task { [settings, limits, now] in await Self.read(settings, limits, now) }
    reading = task
    let result = await task.value
    if reading == task { reading = nil }
    if case .success(let fresh) = result { known = fresh }
    return try result.get()
  }

  private static func read(
    _ settings: OpenIDSettings, _ limits: OpenIDLimits, _ now: @Sendable () -> Timestamp
  ) async -> Result<Profile, OpenIDRefusal> {
    do throws(OpenIDRefusal) {
      let page = try await answer(
        "the provider",
        BoundedRequest(
          url: OpenIDDocument.url(ofIssuer: settings.issuer), trustRootsFile: settings.trustRootsFile,
          bytesMaximum: limits.answerBytesMaximum, timeout: limits.timeout))
      let document = try OpenIDDocument(try Self.body(of: page, "the provider"), issuer: settings.issuer)
      let set = try await answer(
        "the provider's jwks_uri",
        BoundedRequest(
          url: document.keySetURL, trustRootsFile: settings.trustRootsFile,
          bytesMaximum: EdgeLimits.keySetBytesMaximum, timeout: limits.timeout))
      let keys = try await keys(try Self.body(of: set, "the provider's jwks_uri"))
      return .success(Profile(document: document, keys: keys, readAt: now()))
    } catch {
      return .failure(error)
    }
  }

  private static func keys(_ set: [UInt8]) async throws(OpenIDRefusal) -> [VerificationKey] {
    do { return try await KeySource.prepared(try KeyReader.keys(set: set, takesSecrets: false)) } catch {
      throw OpenIDRefusal(.provider, "the provider's jwks_uri: \(error)")
    }
  }

  // MARK: The code

  /// Spec: OpenID Connect Core 1.0, 3.1.3.1; RFC 7636, 4.5.
  /// - Parameter secret: nil for a public client.
  nonisolated func tokens(
    for code: String, _ flow: OpenIDFlow, at url: String, secret: String?
  ) async throws(OpenIDRefusal) -> Tokens {
    var form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", settings.redirectURL),
      ("code_verifier", flow.verifier),
    ]
    if secret == nil { form.append(("client_id", settings.clientID)) }
    let answer = try await Self.answer(
      "the provider's token_endpoint",
      BoundedRequest(
        url: url, posting: .form(form.map { (name: $0.0, value: $0.1) }), authorization: secret.map { basic($0) },
        trustRootsFile: settings.trustRootsFile, bytesMaximum: limits.answerBytesMaximum, timeout: limits.timeout))
    let value = try? JSONValue(parsing: answer.body)
    if let value, answer.status == 400 || answer.status == 401, let error = value["error"]?.string {
      throw OpenIDRefusal(
        error == "invalid_grant" ? .again : .provider,
        "the provider's token_endpoint answers \(OpenIDRefusal.known(error))")
    }
    _ = try Self.body(of: answer, "the provider's token_endpoint")
    guard let value, let id = value["id_token"]?.string else {
      throw OpenIDRefusal(.provider, "the provider's token_endpoint answers no id_token")
    }
    return Tokens(id: id, access: value["access_token"]?.string)
  }

  /// Spec: RFC 6749, 2.3.1.
  private nonisolated func basic(_ secret: String) -> String {
    let pair = PercentEncoding.encode(settings.clientID) + ":" + PercentEncoding.encode(secret)
    return "Basic " + Base64.encode(Array(pair.utf8))
  }

  // MARK: Answers

  private static func answer(
    _ place: String, _ request: BoundedRequest
  ) async throws(OpenIDRefusal) -> BoundedRequest.Answer {
    do throws(BoundedRequest.Failure) { return try await request.answer() } catch {
      throw OpenIDRefusal(.provider, "\(place): \(error.words(bytesMaximum: request.bytesMaximum))")
    }
  }

  private static func body(of answer: BoundedRequest.Answer, _ place: String) throws(OpenIDRefusal) -> [UInt8] {
    guard answer.status == 200 else { throw OpenIDRefusal(.provider, "\(place): its URL answers \(answer.status)") }
    return answer.body
  }
}
