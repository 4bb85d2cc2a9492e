package import ConsoleEngine
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Signing in to the console by an OpenID provider: authorization code with PKCE. Spec: OpenID Connect Core 1.0, 3.1;
/// RFC 7636; RFC 9700, 2.1.
///
/// ```
/// browser ── start ──> 302 to the provider, cookie ── provider ──> callback (code, state, cookie)
///                                                                     │ code for id_token, which is judged
///                                            302 to the console <─────┴─ session, or why there is none
/// ```
package struct OpenIDRoutes: Sendable {
  let signIn: OpenIDSignIn
  let sessions: ConsoleService
  let tokens: TokenStore
  /// Of the console's first page, which browsers end up with.
  let home: String

  static let cookieName = "carillon_openid"
  private static let stateCharacters = 1...128
  private static let codeCharacters = 1...4_096

  package init(_ signIn: OpenIDSignIn, sessions: ConsoleService, tokens: TokenStore, console: ConsoleSettings) {
    self.signIn = signIn
    self.sessions = sessions
    self.tokens = tokens
    home = console.path + "/"
  }

  /// How people can sign in beside tokens and links, which are always there.
  func ways(_ request: Request) throws -> Response {
    _ = try ListQuery.known(request, [])
    let settings = signIn.settings
    return .object { ways in
      guard let settings else { return }
      ways.member("openid") { openID in
        openID.object { openID in
          openID.member("title", settings.title)
          openID.member("url", settings.startURL)
        }
      }
    }
  }

  // MARK: To the provider

  func start(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    _ = try ListQuery.known(request, [])
    let provider = try signIn.currentProvider()
    do throws(OpenIDRefusal) {
      let document = try await provider.profile().document
      let browser = Self.browser(request) ?? SessionSecret()
      // The cookie of a session does not come with a page of the provider's: what is to end then is known only now.
      let (state, flow) = signIn.flows.begin(
        browser: browser.key, former: ShownSession(request)?.secret.key, now: signIn.now())
      let cookie = SessionCookie.field(
        named: Self.cookieName, browser, path: OpenIDPath.start,
        seconds: signIn.limits.flowLife.components.seconds, isSecure: context.isSecure)
      return Self.redirection(
        to: Self.authorizationURL(document, provider.settings, state, flow), [.setCookie: cookie])
    } catch {
      return answer(to: error, context)
    }
  }

  /// Spec: OpenID Connect Core 1.0, 3.1.2.1; RFC 7636, 4.3.
  private static func authorizationURL(
    _ document: OpenIDDocument, _ settings: OpenIDSettings, _ state: String, _ flow: OpenIDFlow
  ) -> String {
    let query = [
      ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", settings.redirectURL),
      ("scope", settings.scopes.joined(separator: " ")), ("state", state), ("nonce", flow.nonce),
      ("code_challenge", flow.challenge), ("code_challenge_method", "S256"),
    ].map { "\($0.0)=\(PathText.encode($0.1))" }.joined(separator: "&")
    return document.authorizationURL + (document.authorizationURL.contains("?") ? "&" : "?") + query
  }

  // MARK: Back from it

  func callBack(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let provider = try signIn.currentProvider()
    let answer = try Answer(request)
    do {
      let flow = try flow(of: answer, request)
      return try await open(try await holder(by: answer, flow, provider), flow, context)
    } catch let refusal as OpenIDRefusal {
      return self.answer(to: refusal, context)
    } catch is EngineError {
      return self.answer(to: OpenIDRefusal(.busy, "no session can be opened at the moment"), context)
    }
  }

  /// What the provider sends back by the browser. Others of its parameters mean nothing here. Spec: RFC 6749, 4.1.2;
  /// RFC 9207, 2.
  struct Answer {
    let state: String
    /// Nil if there is an error in its place.
    let code: String?
    let error: String?
    let issuer: String?

    init(_ request: Request) throws {
      let parameters = try request.queryParameters()
      if let name = parameters.repeatedName { throw EdgeFailure.badParameter(name, "is given twice") }
      guard let state = try Self.text("state", stateCharacters, parameters) else {
        throw EdgeFailure.missingParameter("state")
      }
      self.state = state
      code = try Self.text("code", codeCharacters, parameters)
      error = parameters.first(of: "error")
      issuer = parameters.first(of: "iss")
      guard code != nil || error != nil else { throw EdgeFailure.missingParameter("code") }
    }

    private static func text(
      _ name: String, _ characters: ClosedRange<Int>, _ parameters: RequestParameters
    ) throws(EdgeFailure) -> String? {
      guard let text = parameters.first(of: name) else { return nil }
      guard characters.contains(text.utf8.count) else {
        throw .badParameter(name, "is longer than \(characters.upperBound) characters")
      }
      return text
    }
  }

  private func flow(of answer: Answer, _ request: Request) throws(OpenIDRefusal) -> OpenIDFlow {
    guard let browser = Self.browser(request),
      let flow = signIn.flows.take(answer.state, browser: browser.key, now: signIn.now())
    else { throw OpenIDRefusal(.again, "the state is none that this browser has begun with, or has come too late") }
    return flow
  }

  /// The secret of this browser's cookie.
  private static func browser(_ request: Request) -> SessionSecret? {
    SessionCookie.secret(in: request.headers[values: .cookie], named: cookieName)
  }

  private func holder(
    by answer: Answer, _ flow: OpenIDFlow, _ provider: OpenIDProvider
  ) async throws -> OpenIDHolder {
    let (settings, profile) = (provider.settings, try await provider.profile())
    // Spec: RFC 9207, 2.4.
    guard answer.issuer ?? (profile.document.namesItself ? nil : settings.issuer) == settings.issuer else {
      throw OpenIDRefusal(.provider, "another provider has answered")
    }
    guard answer.error == nil, let code = answer.code else {
      let isDenied = answer.error == "access_denied"
      throw OpenIDRefusal(isDenied ? .denied : .provider, "the provider answers \(OpenIDRefusal.known(answer.error))")
    }
    let given = try await provider.tokens(
      for: code, flow, at: profile.document.tokenURL, secret: try await secret(settings))
    return try OpenIDHolder(try await claims(of: given, flow, profile, provider), settings)
  }

  private func secret(_ settings: OpenIDSettings) async throws -> String? {
    guard let file = settings.clientSecretFile else { return nil }
    let most = signIn.limits.secretBytesMaximum
    guard let bytes = try? await sessions.onThread({ try KeySource.read(file, bytesMaximum: most) }) else {
      throw OpenIDRefusal(.busy, "console.openid.client_secret_file cannot be read, or is too long")
    }
    let secret = String(decoding: bytes, as: UTF8.self).trimmingPrefix(while: \.isWhitespace)
    return String(secret.prefix { !$0.isNewline })
  }

  private func claims(
    of given: OpenIDProvider.Tokens, _ flow: OpenIDFlow, _ profile: OpenIDProvider.Profile, _ provider: OpenIDProvider
  ) async throws(OpenIDRefusal) -> JSONObject {
    let reader = IDTokenReader(
      issuer: provider.settings.issuer, clientID: provider.settings.clientID, clockSkew: signIn.limits.clockSkew)
    func claims(_ keys: [VerificationKey]) throws(IDTokenReader.Flaw) -> JSONObject {
      try reader.claims(of: given.id, beside: given.access, nonce: flow.nonce, keys: keys, now: signIn.now())
    }
    do throws(IDTokenReader.Flaw) { return try claims(profile.keys) } catch {
      guard error.mayBeByNewKey else { throw OpenIDRefusal(error) }
    }
    // The provider may have changed its keys.
    let keys = try await provider.profileOfNewKeys().keys
    do throws(IDTokenReader.Flaw) { return try claims(keys) } catch { throw OpenIDRefusal(error) }
  }

  private func open(
    _ holder: OpenIDHolder, _ flow: OpenIDFlow, _ context: EdgeRequestContext
  ) async throws -> Response {
    // Two of one name would be one agent: nobody else takes it until the session is there.
    do {
      try await sessions.onThread { [tokens] in try tokens.claim(holder.name, for: holder.id) }
    } catch let error as TokenStoreError {
      guard error.code == .nameTaken else { throw OpenIDRefusal(.busy, "the file of the tokens cannot be read") }
      throw OpenIDRefusal(.taken, "a token, or somebody else who is signed in, has the name")
    }
    defer { tokens.giveBack(holder.name) }
    let secret = SessionSecret()
    let view = try await sessions.open(
      secret.key, tokenID: holder.id, name: holder.name, role: holder.role.rawValue, person: holder.person)
    if let former = flow.former { try await sessions.end(former, .signedOut) }
    return Self.redirection(
      to: home, [.setCookie: SessionCookie.field(secret, seconds: view.cookieSeconds, isSecure: context.isSecure)])
  }

  // MARK: Answers

  /// Browsers are people here: they are shown the page, which says in words what was wrong.
  private func answer(to refusal: OpenIDRefusal, _ context: EdgeRequestContext) -> Response {
    signIn.note(refusal, from: context.clientAddress)
    return Self.redirection(to: "\(home)#error=\(refusal.code.rawValue)", [:])
  }

  private static func redirection(to url: String, _ fields: HTTPFields) -> Response {
    Response(status: .found, headers: [.location: url, .cacheControl: "no-store"] + fields)
  }
}
