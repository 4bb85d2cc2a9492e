import SwiftProtobuf

@testable import MCSProtocol

/// Stanzas as a device sends them.
enum Device {
  static func login(
    user: String = "4410000000000000001", token: String = "77", received: [String] = [],
    configure: (inout MCSLoginRequest) -> Void = { _ in }
  ) -> MCSStanza {
    var request = MCSLoginRequest.with {
      $0.id = "chrome-63.0.3234.0"
      $0.domain = "mcs.android.com"
      $0.user = user
      $0.resource = user
      $0.authToken = token
      $0.deviceID = "android-3d33"
      $0.receivedPersistentID = received
      $0.useRmq2 = true
      $0.authService = 2
    }
    configure(&request)
    return .loginRequest(request)
  }

  static func ping(acknowledging number: Int32? = nil, status: Int64? = nil) -> MCSStanza {
    .heartbeatPing(
      .with {
        if let number { $0.lastStreamIDReceived = number }
        if let status { $0.status = status }
      })
  }

  static func upstream(_ id: String, immediateAck: Bool = false) -> MCSDataMessageStanza {
    .with {
      $0.id = id
      $0.from = "gcm@chrome.com"
      $0.to = "1234567890@gcm.googleapis.com"
      $0.category = "com.example.app"
      $0.appData = [MCSAppData("k", "v")]
      $0.ttl = 86_400
      $0.persistentID = "p-\(id)"
      if immediateAck { $0.immediateAck = true }
    }
  }

  /// One of the service's own.
  static func idleNotification(_ value: String) -> MCSStanza {
    .dataMessage(
      .with {
        $0.from = "gcm@android.com"
        $0.category = "com.google.android.gsf.gtalkservice"
        $0.appData = [MCSAppData("IdleNotification", value)]
      })
  }
}

/// A message as the engine delivers it.
func downstream(_ id: String) -> MCSDataMessageStanza {
  .with {
    $0.from = "1234567890"
    $0.category = "com.example.app"
    $0.persistentID = id
  }
}

/// A session that has logged in: its stanza of number 1 is written.
func openSession(
  limits: MCSLimits = MCSLimits(), login: MCSStanza = Device.login()
) -> MCSSession {
  var session = MCSSession(limits: limits)
  _ = session.opened()
  _ = session.received(.stanza(login))
  _ = session.received(.loginAnswered(.accepted(1_000)))
  return session
}

extension MCSSession {
  /// Takes a stanza; returns the ids that the engine is told of, which it makes durable at once.
  mutating func acknowledges(_ stanza: MCSStanza) -> [String] {
    let ids = received(.stanza(stanza)).acknowledged
    _ = received(.acknowledged)
    return ids
  }
}

extension [MCSAction] {
  var written: [MCSStanza] { compactMap { if case .write(let stanza) = $0 { stanza } else { nil } } }
  var closing: MCSClosing? { lazy.compactMap { if case .close(let reason) = $0 { reason } else { nil } }.first }
  var acknowledged: [String] { flatMap { if case .acknowledge(let ids) = $0 { ids } else { [String]() } } }
  var sent: [String] { compactMap { if case .send(let message) = $0 { message.id } else { nil } } }
}
