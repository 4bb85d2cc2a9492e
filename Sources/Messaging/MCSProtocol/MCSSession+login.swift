import SwiftProtobuf

/// From the login request to its answer.
extension MCSSession {
  mutating func logIn(_ request: MCSLoginRequest, _ actions: inout [MCSAction]) {
    login = request
    phase = .loggingIn
    guard let user = Self.number(request.user), let token = Self.number(request.authToken) else {
      return loginAnswered(.refused, &actions)
    }
    actions.append(.logIn(MCSCredentials(user: user, token: token), received: request.receivedPersistentID))
    login.receivedPersistentID = []
  }

  /// Both are 64 bits in decimal; Android shows them with a sign.
  private static func number(_ text: String) -> UInt64? { UInt64(text) ?? Int64(text).map(UInt64.init(bitPattern:)) }

  mutating func loginAnswered(_ answer: MCSLoginAnswer, _ actions: inout [MCSAction]) {
    guard phase == .loggingIn else { return }
    switch answer {
    case .accepted(let milliseconds): loggedIn(at: milliseconds, &actions)
    case .refused:
      write(.loginResponse(refusal), &actions)
      close(.loginRefused, saysSo: false, &actions)
    // No refusal: that would cost the device its identity.
    case .unavailable: close(.unavailable, saysSo: true, &actions)
    }
  }

  private mutating func loggedIn(at milliseconds: Int64, _ actions: inout [MCSAction]) {
    phase = .open
    write(.loginResponse(acceptance(at: milliseconds)), &actions)
    let asked = login.hasHeartbeatStat ? login.heartbeatStat.intervalMs : nil
    actions.append(.setDeadline(heartbeat.begin(asked: asked)))
    if let saysIdle = MCSStanza.loginRequest(login).saysIdle { setIdle(saysIdle, &actions) }
    actions.append(.drain)
    login = MCSLoginRequest()
    let stanzas = early
    early = []
    for stanza in stanzas where phase == .open { take(stanza, &actions) }
  }

  private func acceptance(at milliseconds: Int64) -> MCSLoginResponse {
    .with {
      $0.id = login.id
      $0.jid = "\(login.user)@mcs.android.com/\(login.user)"
      $0.streamID = 1
      $0.heartbeatConfig = .with { $0.intervalMs = limits.heartbeatIntervalMilliseconds }
      $0.serverTimestamp = milliseconds
    }
  }

  private var refusal: MCSLoginResponse {
    .with {
      $0.id = login.id
      $0.error = .with {
        $0.code = 401
        $0.message = "No such device, or not its security token"
        $0.type = "auth"
      }
    }
  }
}
