import EngineKit
import EventSourcing
import GCMProtocol
package import HTTPKit
import HTTPTypes
package import MessagingEngine
import NetworkAddress

/// Takes messages of app servers: checks the key, reads the message, has it sent, and says what became of it.
/// Spec: GCM B1-B5, E1-E4.
package struct SendEndpoint: Sendable {
  let messaging: MessagingService
  let tokens: TokenStore

  /// What of a request matters here.
  struct Call: Sendable {
    let route: SendRoute
    let isPost: Bool
    let authorization: String?
    let contentType: String?
    /// IP address of the client.
    let address: IPAddress?
    let body: [UInt8]
  }

  package init(messaging: MessagingService, tokens: TokenStore) {
    self.messaging = messaging
    self.tokens = tokens
  }

  func answer(to call: Call) async -> SendAnswer {
    let dialect = SendDialect(call.route, contentType: call.contentType)
    guard call.isPost else { return dialect.refusal(.methodNotAllowed) }
    // What is not replayed yet must not look unknown.
    guard messaging.isReady else { return dialect.refusal(.serviceUnavailable) }
    guard let sender = tokens.sender(authorization: call.authorization), sender.isPermitted(from: call.address) else {
      return dialect.refusal(.unauthorized)
    }
    if case .v1(let project) = call.route, !sender.owns(project: project) { return .v1(.permissionDenied) }
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
    do throws(EngineError) {
      let answer = try await messaging.send(request, sender: sender.sender)
      return dialect.answer(answer, isDryRun: request.isDryRun)
    } catch {
      return dialect.refusal(.serviceUnavailable)
    }
  }
}
