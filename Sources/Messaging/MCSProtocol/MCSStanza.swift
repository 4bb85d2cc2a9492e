import SwiftProtobuf

/// One message of a device's connection. Spec: GCM D6.2, D7.
public enum MCSStanza: Sendable, Equatable {
  case heartbeatPing(MCSHeartbeatPing)
  case heartbeatAck(MCSHeartbeatAck)
  case loginRequest(MCSLoginRequest)
  case loginResponse(MCSLoginResponse)
  case close(MCSClose)
  case iq(MCSIqStanza)
  case dataMessage(MCSDataMessageStanza)
  case streamError(MCSStreamErrorStanza)
}

/// What a frame begins with. Spec: GCM D6.2.
enum MCSTag: UInt8 {
  case heartbeatPing = 0
  case heartbeatAck = 1
  case loginRequest = 2
  case loginResponse = 3
  case close = 4
  case iq = 7
  case dataMessage = 8
  case streamError = 10
}

extension MCSStanza {
  /// - Throws: `.malformed` if the bytes are no message of this kind, or one without a field that it has to have.
  init(_ tag: MCSTag, _ bytes: [UInt8]) throws(MCSViolation) {
    switch tag {
    case .heartbeatPing: self = .heartbeatPing(try Self.decode(bytes))
    case .heartbeatAck: self = .heartbeatAck(try Self.decode(bytes))
    case .loginRequest: self = .loginRequest(try Self.decode(bytes))
    case .loginResponse: self = .loginResponse(try Self.decode(bytes))
    case .close: self = .close(try Self.decode(bytes))
    case .iq: self = .iq(try Self.decode(bytes))
    case .dataMessage: self = .dataMessage(try Self.decode(bytes))
    case .streamError: self = .streamError(try Self.decode(bytes))
    }
  }

  var tag: MCSTag {
    switch self {
    case .heartbeatPing: .heartbeatPing
    case .heartbeatAck: .heartbeatAck
    case .loginRequest: .loginRequest
    case .loginResponse: .loginResponse
    case .close: .close
    case .iq: .iq
    case .dataMessage: .dataMessage
    case .streamError: .streamError
    }
  }

  var message: any Message {
    switch self {
    case .heartbeatPing(let message): message
    case .heartbeatAck(let message): message
    case .loginRequest(let message): message
    case .loginResponse(let message): message
    case .close(let message): message
    case .iq(let message): message
    case .dataMessage(let message): message
    case .streamError(let message): message
    }
  }

  /// No message of ours nests deeper than this.
  private static let depthMaximum = 4

  private static func decode<Content: Message>(_ bytes: [UInt8]) throws(MCSViolation) -> Content {
    var options = BinaryDecodingOptions()
    options.messageDepthLimit = depthMaximum
    options.discardUnknownFields = true
    do {
      return try Content(serializedBytes: bytes, options: options)
    } catch {
      throw .malformed
    }
  }
}

// MARK: - What stands in several kinds of stanza

extension MCSStanza {
  /// Everything up to this number has reached its sender's peer. Spec: GCM D8.2.
  public var lastStreamIDReceived: Int? {
    switch self {
    case .heartbeatPing(let ping): ping.hasLastStreamIDReceived ? Int(ping.lastStreamIDReceived) : nil
    case .heartbeatAck(let ack): ack.hasLastStreamIDReceived ? Int(ack.lastStreamIDReceived) : nil
    case .iq(let iq): iq.hasLastStreamIDReceived ? Int(iq.lastStreamIDReceived) : nil
    case .dataMessage(let message): message.hasLastStreamIDReceived ? Int(message.lastStreamIDReceived) : nil
    case .loginResponse(let response): response.hasLastStreamIDReceived ? Int(response.lastStreamIDReceived) : nil
    case .loginRequest, .close, .streamError: nil
    }
  }

  /// The same stanza with that number in it, where its kind has a place for it.
  func acknowledging(_ number: Int) -> MCSStanza {
    // Numbers beyond 32 bits would take a connection of years; what is acknowledged then is merely wrong.
    let number = Int32(truncatingIfNeeded: number)
    switch self {
    case .heartbeatPing(var ping):
      ping.lastStreamIDReceived = number
      return .heartbeatPing(ping)
    case .heartbeatAck(var ack):
      ack.lastStreamIDReceived = number
      return .heartbeatAck(ack)
    case .iq(var iq):
      iq.lastStreamIDReceived = number
      return .iq(iq)
    case .dataMessage(var message):
      message.lastStreamIDReceived = number
      return .dataMessage(message)
    case .loginResponse(var response):
      response.lastStreamIDReceived = number
      return .loginResponse(response)
    case .loginRequest, .close, .streamError: return self
    }
  }

  /// Whether its sender is idle, if it says so: bit 0 of the status. Spec: GCM D8.10.
  var saysIdle: Bool? {
    switch self {
    case .heartbeatPing(let ping): ping.hasStatus ? ping.status & 1 != 0 : nil
    case .heartbeatAck(let ack): ack.hasStatus ? ack.status & 1 != 0 : nil
    case .iq(let iq): iq.hasStatus ? iq.status & 1 != 0 : nil
    case .loginRequest(let request): request.hasStatus ? request.status & 1 != 0 : nil
    case .dataMessage(let message): message.idleNotification ?? (message.hasStatus ? message.status & 1 != 0 : nil)
    case .loginResponse, .close, .streamError: nil
    }
  }
}

extension MCSDataMessageStanza {
  /// Between server and device, not for any app. Spec: GCM D8.10.
  static let serviceCategory = "com.google.android.gsf.gtalkservice"
  private static let idleKey = "IdleNotification"

  var isForService: Bool { category == Self.serviceCategory }

  fileprivate var idleNotification: Bool? {
    guard isForService, let pair = appData.first(where: { $0.key == Self.idleKey }) else { return nil }
    return pair.value != "false"
  }
}
