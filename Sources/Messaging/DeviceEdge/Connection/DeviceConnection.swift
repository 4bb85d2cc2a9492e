public import EdgeSecurity
import EngineKit
import EntityRuntime
import EventSourcing
public import MCSProtocol
public import MessagingEngine
public import NIOCore
public import NetworkAddress
public import PushDomain

/// How a device's connection reaches its client. Called on the connection's event loop only.
public protocol DeviceTransport: AnyObject {
  /// Takes a stanza; `flush` follows soon.
  func write(_ stanza: MCSStanza)
  func flush()
  /// Calls `deadlinePassed` of the connection after this long; replaces the earlier deadline.
  func setDeadline(_ duration: Duration)
  func loggedIn()
  /// There is room for more input, after `takesInput` was false.
  func resumeReading()
  /// Ends the connection once everything is written.
  func close(_ reason: MCSClosing)
}

/// One device's live connection, whatever it is written with: does what its session wants done, with the engine.
///
/// The transport calls `opened`, `received`, `violated`, `deadlinePassed` and `closed` on the event loop; the engine
/// calls `deliver` and `close` from anywhere. Spec: GCM D8.
///
/// Safe to share because all state is touched on the event loop only; `deliver` and `close` do nothing but go there.
public final class DeviceConnection: MailLink, @unchecked Sendable {
  private let messaging: MessagingService
  private let eventLoop: any EventLoop
  private let metrics: DeviceMetrics
  private let guesses: GuessGuard
  /// Where the device is, as far as that is known.
  private let address: IPAddress?
  private var session: MCSSession
  private var transport: (any DeviceTransport)?
  /// The device, from the beginning of its login.
  private var id: InstallationID?
  /// The engine knows this link.
  private var isAttached = false
  private var isClosed = false

  public init(
    messaging: MessagingService, eventLoop: any EventLoop, metrics: DeviceMetrics, guesses: GuessGuard,
    limits: SharedMCSLimits, address: IPAddress?, transport: any DeviceTransport
  ) {
    self.messaging = messaging
    self.eventLoop = eventLoop
    self.metrics = metrics
    self.guesses = guesses
    self.address = address
    self.transport = transport
    session = MCSSession(sharing: limits)
  }

  // MARK: From the transport

  /// False while nothing more is to be read.
  public var takesInput: Bool { session.takesInput }

  public func opened() { perform(session.opened()) }
  public func received(_ stanza: MCSStanza) { handle(.stanza(stanza)) }
  public func violated(_ violation: MCSViolation) { handle(.violation(violation)) }
  public func deadlinePassed() { handle(.deadlinePassed) }
  /// Somebody on this side wants the connection to end.
  public func end(_ reason: MCSClosing) { handle(.closing(reason)) }

  /// The connection is gone.
  public func closed() {
    transport = nil
    handle(.closing(.lost))
  }

  // MARK: From the engine

  public func deliver(_ mail: Mail) {
    eventLoop.execute { self.handle(.deliver(MCSDataMessageStanza(mail))) }
  }

  public func close(_ reason: MailLinkClosing) {
    eventLoop.execute {
      // The engine has forgotten this link already.
      self.isAttached = false
      self.handle(.closing(MCSClosing(reason)))
    }
  }

  // MARK: What the session wants
  // Of the engine it wants one thing at a time. Each is a task that nobody cancels: when the connection ends meanwhile,
  // the engine finishes it, which is of use to the device's next connection.

  private func handle(_ input: MCSInput) {
    guard !isClosed else { return }
    let tookInput = session.takesInput
    perform(session.received(input))
    if !tookInput, !isClosed, session.takesInput { transport?.resumeReading() }
  }

  private func perform(_ actions: [MCSAction]) {
    guard !actions.isEmpty else { return }
    for action in actions { perform(action) }
    transport?.flush()
  }

  private func perform(_ action: MCSAction) {
    switch action {
    case .write(let stanza):
      if case .dataMessage = stanza { metrics.countMessageOut() }
      transport?.write(stanza)
    case .setDeadline(let duration): transport?.setDeadline(duration)
    case .logIn(let credentials, let received): logIn(credentials, received)
    case .send(let message): send(message)
    case .drain: if let id { messaging.gateway.drain(id, link: self) }
    case .acknowledge(let ids): acknowledge(ids)
    case .setIdle(let isIdle): if let id { messaging.gateway.setIdle(isIdle, id, link: self) }
    case .close(let reason):
      isClosed = true
      metrics.count(reason)
      // From now on what comes would be written to nobody.
      detach()
      transport?.close(reason)
    }
  }

  private func detach() {
    guard isAttached, let id else { return }
    isAttached = false
    messaging.gateway.detach(id, link: self)
  }

  private func logIn(_ credentials: MCSCredentials, _ received: [String]) {
    let id = InstallationID(credentials.user)
    self.id = id
    // Not refused: a device would give up its identity for what somebody else at its address has done.
    guard guesses.hasGuessedTooOften(address) == nil else { return loginAnswered(.unavailable) }
    Task { [self] in
      let answer = await logIn(InstallationCredentials(id: id, securityToken: credentials.token), received)
      eventLoop.execute { self.loginAnswered(answer) }
    }
  }

  private nonisolated func logIn(
    _ credentials: InstallationCredentials, _ received: [String]
  ) async -> MCSLoginAnswer {
    // What is not replayed yet must not look unknown: the device would give up its identity.
    guard messaging.isReady else { return .unavailable }
    do throws(InstallationFailure) {
      try await messaging.gateway.logIn(credentials, received: received, link: self)
      return .accepted(SystemTime().now.milliseconds)
    } catch {
      return error == .unavailable ? .unavailable : .refused
    }
  }

  private func loginAnswered(_ answer: MCSLoginAnswer) {
    var answer = answer
    if case .refused = answer, guesses.wrongCredential(from: address) != nil { answer = .unavailable }
    metrics.count(answer)
    if case .accepted = answer {
      isAttached = true
      // The client, or the server, has left meanwhile.
      guard !isClosed else { return detach() }
      transport?.loggedIn()
    }
    handle(.loginAnswered(answer))
  }

  private func acknowledge(_ ids: [String]) {
    guard let id else { return }
    Task { [self] in
      await messaging.gateway.acknowledgeDurably(ids, by: id)
      eventLoop.execute { self.handle(.acknowledged) }
    }
  }

  private func send(_ message: MCSDataMessageStanza) {
    guard let id else { return }
    metrics.countMessageIn()
    let (upstream, recipient) = (UpstreamMessage(message), message.to)
    Task { [self] in
      let outcome = await messaging.send(upstream, to: recipient, from: id)
      eventLoop.execute { self.handle(.upstreamAnswered(MCSUpstreamAnswer(outcome))) }
    }
  }
}

extension MCSClosing {
  fileprivate init(_ reason: MailLinkClosing) {
    switch reason {
    case .replaced: self = .replaced
    case .draining: self = .draining
    case .revoked: self = .revoked
    }
  }
}

extension MCSUpstreamAnswer {
  fileprivate init(_ outcome: UpstreamOutcome) {
    switch outcome {
    case .accepted: self = .accepted
    case .refused(let reason): self = .refused(reason: reason)
    case .unavailable: self = .unavailable
    }
  }
}
