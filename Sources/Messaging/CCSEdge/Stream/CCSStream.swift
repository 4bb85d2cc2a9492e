import GCMProtocol
import PushDomain

/// One app server's XMPP stream, without its socket.
///
///     opening ──stream──> unauthenticated ──auth──> authenticating ──yes──> reopening ──stream──> unbound ──bind──> bound
///                               ^    └─auth without text─> challenged ─┘ │
///                               └──────────────────no─────────────────────┘
///     bound ──drain──> (draining) ──time is up, all answered──> closed          any ──fault──> error, closed
///     bound ──</stream>──> (leaving) ──all answered──> closed
///
/// Spec: GCM C; RFC 6120, 4-8.
struct CCSStream {
  enum Phase: Equatable {
    case opening
    case unauthenticated
    case challenged
    case authenticating(sender: String)
    case reopening
    case unbound
    case bound
    case closed
  }

  /// Why a stream that works is going to end.
  enum Ending: Equatable {
    /// New messages are refused; the client has been told.
    case draining
    /// The stream closes as soon as everything is answered.
    case drained
    case left
  }

  let id: String
  let settings: CCSStreamSettings
  var phase = Phase.opening
  var ending: Ending?
  /// Whose API key it was.
  private(set) var sender: String?
  /// Downstream messages that the engine has and that are not answered yet.
  var pendingCount = 0
  private var loginFailures = 0
  /// What the client calls us.
  private(set) var domain: String

  /// - Parameter id: unpredictable. Spec: RFC 6120, 4.7.3.
  init(id: String, settings: CCSStreamSettings = CCSStreamSettings()) {
    self.id = id
    self.settings = settings
    domain = settings.domain
  }

  /// Whether the next event may come. If not, it will after `authenticated` or `answered`. Spec: GCM C10.
  var takesInput: Bool {
    switch phase {
    case .authenticating, .closed: false
    case .bound: ending != .left && pendingCount < settings.pendingMaximum
    case .opening, .unauthenticated, .challenged, .reopening, .unbound: true
    }
  }

  /// Whether the client has not logged in yet: such a stream has little time and little room.
  var isLoggingIn: Bool {
    switch phase {
    case .bound, .closed: false
    default: true
    }
  }

  mutating func received(_ event: XMLStreamEvent) -> [CCSAction] {
    guard phase != .closed else { return [] }
    return switch event {
    case .opened(let header): opened(header)
    case .stanza(let stanza): received(stanza)
    case .closed: left()
    case .failed(let condition): fail(condition)
    }
  }

  // MARK: Opening

  private mutating func opened(_ header: XMLElement) -> [CCSAction] {
    guard header.name == XMLName(XMLNamespace.stream, "stream") else { return fail(.invalidNamespace) }
    if let wanted = header["to"]?.lowercased() {
      guard settings.domains.contains(wanted) else { return fail(.hostUnknown) }
      domain = wanted
    }
    guard header["version"]?.split(separator: ".").first == "1" else { return fail(.unsupportedVersion) }
    let isSecond = phase == .reopening
    phase = isSecond ? .unbound : .unauthenticated
    var writer = XMLWriter()
    writeHeader(isSecond: isSecond, into: &writer)
    writer.markup(isSecond ? Self.boundFeatures : Self.loginFeatures)
    return [.write(writer.bytes)]
  }

  private func writeHeader(isSecond: Bool, into writer: inout XMLWriter) {
    writer.markup("<?xml version='1.0'?><stream:stream xmlns='jabber:client'")
    writer.markup(" xmlns:stream='http://etherx.jabber.org/streams' version='1.0'")
    writer.attribute("from", domain)
    writer.attribute("id", "\(id)-\(isSecond ? 2 : 1)")
    writer.markup(">")
  }

  private static let loginFeatures: StaticString = """
    <stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>\
    </stream:features>
    """
  private static let boundFeatures: StaticString = """
    <stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>\
    <session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session></stream:features>
    """

  private mutating func received(_ stanza: XMLElement) -> [CCSAction] {
    switch phase {
    case .unauthenticated, .challenged: logIn(stanza)
    case .unbound, .bound: exchanged(stanza)
    case .opening, .authenticating, .reopening, .closed: fail(.notAuthorized)
    }
  }

  // MARK: Login

  private mutating func logIn(_ stanza: XMLElement) -> [CCSAction] {
    switch (stanza.name, phase) {
    case (XMLName(XMLNamespace.login, "auth"), .unauthenticated):
      guard stanza["mechanism"] == "PLAIN" else { return refuseLogin(.invalidMechanism) }
      guard stanza.text.isEmpty else { return take(stanza.text) }
      phase = .challenged
      return [.write(Array("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>".utf8))]
    case (XMLName(XMLNamespace.login, "response"), .challenged): return take(stanza.text)
    case (XMLName(XMLNamespace.login, "abort"), _): return refuseLogin(.aborted)
    default: return fail(.notAuthorized)
    }
  }

  private mutating func take(_ message: [UInt8]) -> [CCSAction] {
    do throws(LoginFailure) {
      let credentials = try PlainCredentials(message: message, domains: settings.domains)
      phase = .authenticating(sender: credentials.sender)
      return [.authenticate(credentials)]
    } catch {
      return refuseLogin(error)
    }
  }

  /// The answer to `.authenticate`.
  mutating func authenticated(_ isGenuine: Bool) -> [CCSAction] {
    guard case .authenticating(let sender) = phase else { return [] }
    guard isGenuine else { return refuseLogin(.notAuthorized) }
    self.sender = sender
    phase = .reopening
    return [.write(Array("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>".utf8)), .restart]
  }

  private mutating func refuseLogin(_ failure: LoginFailure) -> [CCSAction] {
    phase = .unauthenticated
    loginFailures += 1
    var writer = XMLWriter()
    writer.markup("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><")
    writer.text(failure.rawValue.utf8)
    writer.markup("/></failure>")
    let refusal = CCSAction.write(writer.bytes)
    return loginFailures < settings.loginAttemptsMaximum ? [refusal] : [refusal] + fail(.policyViolation)
  }

  /// The connection could not be attached to the engine, which has enough of this sender's or is not ready.
  mutating func attachRefused() -> [CCSAction] { fail(.resourceConstraint) }

  // MARK: Messages

  /// A message that was sent has its answer.
  mutating func answered(_ answer: CCSAnswer) -> [CCSAction] {
    pendingCount -= 1
    guard phase != .closed else { return [] }
    return [.write(Self.message(answer.bytes))] + closeIfDone()
  }

  /// A message of a device, or a receipt.
  mutating func deliver(_ mail: Mail) -> [CCSAction] {
    phase == .bound && ending != .left ? [.write(Self.message(CCSDelivery.bytes(of: mail)))] : []
  }

  // MARK: The end

  /// The server stops. Spec: GCM C13.
  mutating func drain() -> [CCSAction] {
    guard phase == .bound else { return fail(.systemShutdown) }
    guard ending == nil else { return [] }
    ending = .draining
    return [.write(Self.message(CCSDelivery.draining))]
  }

  /// The client has had time to hear of the draining.
  mutating func drainingEnded() -> [CCSAction] {
    guard ending == .draining else { return [] }
    ending = .drained
    return closeIfDone()
  }

  /// The client has closed its side: it gets the answers that it still waits for. Spec: RFC 6120, 4.4.
  private mutating func left() -> [CCSAction] {
    ending = .left
    return closeIfDone()
  }

  private mutating func closeIfDone() -> [CCSAction] {
    guard ending == .drained || ending == .left, pendingCount == 0, phase != .closed else { return [] }
    let reason = ending == .left ? CCSClosing.left : .drained
    let hasHeader = isOpen
    phase = .closed
    return (hasHeader ? [.write(Array("</stream:stream>".utf8))] : []) + [.close(reason)]
  }

  /// Whether our own start tag is out: only then can the stream be closed.
  private var isOpen: Bool { phase != .opening && phase != .reopening }

  /// Ends the stream with an error. Spec: RFC 6120, 4.9.
  mutating func fail(_ condition: StreamCondition) -> [CCSAction] {
    guard phase != .closed else { return [] }
    var writer = XMLWriter()
    if !isOpen { writeHeader(isSecond: phase == .reopening, into: &writer) }
    phase = .closed
    writer.markup("<stream:error><")
    writer.text(condition.rawValue.utf8)
    writer.markup(" xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>")
    return [.write(writer.bytes), .close(.failed(condition))]
  }
}
