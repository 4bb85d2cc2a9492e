import EventSourcing
import GCMProtocol
package import HTTPKit
import HTTPTypes
package import MessagingEngine
import NetworkAddress
import Synchronization

/// Takes messages of app servers: checks the key, reads the message, has it sent, and says what became of it.
/// Spec: GCM B1-B5, E1-E4.
package struct SendEndpoint: Sendable {
  let messaging: MessagingService
  let tokens: TokenStore
  let begun = BegunSends()

  /// What of a request matters here.
  struct Call: Sendable {
    let dialect: SendDialect
    let isPost: Bool
    let authorization: String?
    /// IP address of the client.
    let address: IPAddress?
    let body: [UInt8]
  }

  package init(messaging: MessagingService, tokens: TokenStore) {
    self.messaging = messaging
    self.tokens = tokens
  }

  /// Takes all the time that it needs.
  func answer(to call: Call) async -> SendAnswer {
    switch admit(call) {
    case .failure(let refusal): return refusal.answer
    case .success(let sender): return await answer(to: call, of: sender)
    }
  }

  /// As `answer`, for one that must not be kept waiting.
  /// - Parameter then: told of an answer that came to wait for the disk, on the outbox's task.
  func begin(_ call: Call, then: @escaping @Sendable (SendAnswer) -> Void) async -> Beginning {
    let sender: SenderIdentity
    switch admit(call) {
    case .failure(let refusal): return .answered(refusal.answer)
    case .success(let identity): sender = identity
    }
    // Its script may say that the answer takes long.
    if sender.isTest { return .takesLonger { await answer(to: call, of: sender) } }
    let dialect = call.dialect
    let request: DownstreamRequest
    do throws(DownstreamRefusal) {
      request = try dialect.read(call.body, now: tokens.now())
    } catch {
      return .answered(dialect.answer(error))
    }
    let posting = await messaging.post(request, sender: sender.sender) {
      then(dialect.answer($0, isDryRun: request.isDryRun))
    }
    switch posting {
    case .settled(let result): return .answered(dialect.answer(result, isDryRun: request.isDryRun))
    case .underWay: return .underWay
    case .takesLonger(let rest):
      return .takesLonger { dialect.answer(await rest(), isDryRun: request.isDryRun) }
    }
  }

  enum Beginning: Sendable {
    case answered(SendAnswer)
    case underWay
    /// To be gone on with by somebody who has the time.
    case takesLonger(@Sendable () async -> SendAnswer)
  }

  private struct Refusal: Error { let answer: SendAnswer }

  /// Whether this may send at all, whatever it says.
  private func admit(_ call: Call) -> Result<SenderIdentity, Refusal> {
    func refused(_ status: HTTPResponse.Status) -> Result<SenderIdentity, Refusal> {
      .failure(Refusal(answer: call.dialect.refusal(status)))
    }
    guard call.isPost else { return refused(.methodNotAllowed) }
    // What is not replayed yet must not look unknown.
    guard messaging.isReady else { return refused(.serviceUnavailable) }
    guard let sender = tokens.sender(authorization: call.authorization), sender.isPermitted(from: call.address) else {
      return refused(.unauthorized)
    }
    if case .v1(let project) = call.dialect, !sender.owns(project: project) {
      return .failure(Refusal(answer: .v1(.permissionDenied)))
    }
    return .success(sender)
  }

  private func answer(to call: Call, of sender: SenderIdentity) async -> SendAnswer {
    let dialect = call.dialect
    var fault: ScriptedFault?
    if sender.isTest, let next = messaging.nextFault(of: sender.sender) {
      // A client that leaves meanwhile cancels the wait; nobody reads the answer then.
      try? await Task.sleep(for: .milliseconds(next.delayMilliseconds))
      fault = next
    }
    if case .status(let code) = fault?.kind {
      return dialect.refusal(HTTPResponse.Status(code: code), retryAfter: fault?.retryAfterSeconds)
    }
    let request: DownstreamRequest
    do throws(DownstreamRefusal) {
      request = try dialect.read(call.body, now: tokens.now())
    } catch {
      return dialect.answer(error)
    }
    if case .error(let error) = fault?.kind {
      return dialect.answer(DownstreamAnswer(error, for: request.target), isDryRun: request.isDryRun)
    }
    return dialect.answer(await messaging.result(of: request, sender: sender.sender), isDryRun: request.isDryRun)
  }
}

/// How many requests were begun on lanes and are not answered yet. Bounded, so that those are which wait for one device:
/// beyond it a request has a task of its own, whose turn looks at how many wait there.
final class BegunSends: Sendable {
  private let count = Atomic<Int>(0)

  /// - Returns: false if there are too many; else `leave` has to follow.
  func enter() -> Bool {
    guard count.add(1, ordering: .relaxed).newValue <= EdgeLimits.begunSendsMaximum else {
      leave()
      return false
    }
    return true
  }

  func leave() { count.subtract(1, ordering: .relaxed) }
}
