import EngineKit
import GCMProtocol
import MessagingEngine
import NIOCore
import NetworkAddress
import PushDomain
import ServerKit
import Synchronization

/// What a connection asks the engine, and what the engine asks of it.
extension CCSConnectionHandler {
  func authenticate(_ credentials: PlainCredentials) {
    let address = context?.channel.remoteAddress.flatMap { IPAddress($0) }
    guard services.backend.takesLogin(address) else { return go(stream.fail(.policyViolation)) }
    answer { [services] in
      await services.backend.authenticate(credentials.sender, credentials.password)
    } then: { handler, isGenuine in
      handler.services.metrics.countLogin(accepted: isGenuine)
      handler.credentials = isGenuine ? credentials : nil
      guard isGenuine || handler.services.backend.loginFailed(address) else {
        return handler.go(handler.stream.fail(.policyViolation))
      }
      handler.go(handler.stream.authenticated(isGenuine))
    }
  }

  func attach(_ sender: String) {
    answer { [self, services] in
      await services.backend.attach(self, sender)
    } then: { handler, isAttached in
      guard isAttached else { return handler.go(handler.stream.attachRefused()) }
      handler.isAttached = true
      // The client has left meanwhile.
      if handler.context == nil || handler.discarded != nil { handler.detach() }
    }
  }

  func send(_ address: CCSAddress, _ request: DownstreamRequest) {
    guard let sender = stream.sender, let credentials else { return }
    services.metrics.countMessage()
    answer { [services] () -> CCSAnswer? in
      guard await services.backend.authenticate(credentials.sender, credentials.password) else { return nil }
      return await services.backend.send(address, request, sender)
    } then: { handler, answer in
      guard let answer else { return handler.close(.revoked) }
      handler.services.metrics.countAnswer(isAck: answer.isAck)
      handler.go(handler.stream.answered(answer))
    }
  }

  /// A key that was revoked ends the connections that were opened with it.
  func checkKey() {
    guard let credentials, isAttached else { return }
    answer { [services] in
      await services.backend.authenticate(credentials.sender, credentials.password)
    } then: { handler, isGenuine in
      if !isGenuine { handler.close(.revoked) }
    }
  }

  /// Asks in a task of its own and goes on here. There are as many of them as messages may be pending, and they end
  /// with the answer, whether somebody still waits for it or not: what has been taken is sent. Spec: GCM C8.
  private func answer<Answer: Sendable>(
    _ question: @escaping @Sendable () async -> Answer,
    then goOn: @escaping @Sendable (CCSConnectionHandler, Answer) -> Void
  ) {
    let eventLoop = residents.eventLoop
    Task {
      let answer = await question()
      eventLoop.execute { goOn(self, answer) }
    }
  }

  func acknowledge(_ id: String) {
    // Only what was delivered here counts. Spec: GCM C11.
    guard let sender = stream.sender, outstanding.withLock({ $0.remove(id) }) != nil else { return }
    services.metrics.countAcknowledgement()
    services.backend.acknowledge(id, sender, self)
  }

  /// Once; what is not acknowledged goes to another connection.
  func detach() {
    guard isAttached, let sender = stream.sender else { return }
    isAttached = false
    services.backend.detach(self, sender)
  }
}

extension CCSConnectionHandler: AppServerLink {
  var pendingCount: Int { outstanding.withLock { $0.count } }

  func deliver(_ mail: Mail) {
    // Counted here and now, because the engine looks at the count before the loop comes to it.
    guard outstanding.withLock({ $0.insert(mail.id).inserted }) else { return }
    residents.eventLoop.execute {
      guard self.discarded == nil else { return }
      self.services.metrics.countDelivery()
      self.go(self.stream.deliver(mail))
    }
  }

  func close(_ reason: MailLinkClosing) {
    residents.eventLoop.execute {
      switch reason {
      case .draining: self.serverStops()
      case .revoked: self.go(self.stream.fail(.notAuthorized))
      case .replaced: self.go(self.stream.fail(.conflict))
      }
    }
  }
}

extension CCSAnswer {
  fileprivate var isAck: Bool { if case .nack = self { false } else { true } }
}
