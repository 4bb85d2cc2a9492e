import EdgeSecurity
import EngineKit
import GCMProtocol
import MessagingEngine
import NetworkAddress

/// What connections need from behind them. Tests put something else in the engine's place.
struct CCSBackend: Sendable {
  var authenticate: @Sendable (_ sender: String, _ password: String) async -> Bool
  /// Gives a message to the engine. Always has an answer.
  var send: @Sendable (CCSAddress, DownstreamRequest, _ sender: String) async -> CCSAnswer
  /// False: not one more connection of this sender, or not yet.
  var attach: @Sendable (_ link: any AppServerLink, _ sender: String) async -> Bool
  var acknowledge: @Sendable (_ messageID: String, _ sender: String, _ link: any AppServerLink) -> Void
  var detach: @Sendable (_ link: any AppServerLink, _ sender: String) -> Void
  /// Whether a login from there is to be looked at.
  var takesLogin: @Sendable (_ address: IPAddress?) -> Bool = { _ in true }
  /// A login failed. False if there were too many from there.
  var loginFailed: @Sendable (_ address: IPAddress?) -> Bool = { _ in true }
}

extension CCSBackend {
  init(
    messaging: MessagingService, budgets: StrangerBudgets = StrangerBudgets(),
    authenticate: @escaping @Sendable (_ sender: String, _ password: String) async -> Bool
  ) {
    self.authenticate = authenticate
    let guesses = GuessGuard(messaging.security, budgets)
    takesLogin = { guesses.hasGuessedTooOften($0) == nil }
    loginFailed = { guesses.wrongCredential(from: $0) == nil }
    // An engine that still recovers knows no tokens: an app server would take them for dead.
    send = { address, request, sender in
      guard messaging.isReady else { return CCSAnswer(address, .unavailable) }
      return await messaging.answer(request, at: address, sender: sender)
    }
    attach = { link, sender in
      guard messaging.isReady else { return false }
      do throws(EngineError) {
        try await messaging.gateway.upstream.attach(link, sender: sender)
        return true
      } catch {
        return false
      }
    }
    acknowledge = { messaging.gateway.upstream.acknowledge($0, sender: $1, link: $2) }
    detach = { messaging.gateway.upstream.detach($0, sender: $1) }
  }
}

extension MessagingService {
  /// Sends a message, unless the sender's operator has scripted something else for it.
  fileprivate func answer(
    _ request: DownstreamRequest, at address: CCSAddress, sender: String
  ) async -> CCSAnswer {
    if let fault = nextFault(of: sender) {
      // Cancelled only when the process ends.
      try? await Task.sleep(for: .milliseconds(fault.delayMilliseconds))
      switch fault.kind {
      case .error(let error): return CCSAnswer(address, error)
      case .status(401): return .nack(address, .authenticationFailed, CCSErrorCode.authenticationFailed.explanation)
      case .status(503): return CCSAnswer(address, .unavailable)
      case .status(400..<500): return CCSAnswer(address, .invalidParameters)
      case .status: return CCSAnswer(address, .internalServerError)
      case .slow: break
      }
    }
    do throws(EngineError) {
      return CCSAnswer(address, try await send(request, sender: sender))
    } catch {
      return CCSAnswer(address, error.downstream)
    }
  }
}

extension EngineError {
  /// In the words of an answer. Spec: GCM B5.
  fileprivate var downstream: DownstreamError {
    switch self {
    case .unavailable, .limitReached, .storageFull: .unavailable
    case .invalid: .invalidParameters
    case .unknownServiceName, .refused, .missing, .unknownDevice, .unknownDeadLetter: .internalServerError
    }
  }
}
