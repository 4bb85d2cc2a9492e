/// Every bound of a device's connection that needs no clock and no socket, in one place.
public struct MCSLimits: Sendable, Equatable {
  /// One login request. It lists what the client has received (about 37 bytes each), and a client that has been away for
  /// long has much to list.
  public var loginBytesMaximum = 65_536
  /// One stanza after the login. Spec: GCM D6.3 has 4 KiB as the usual length.
  public var stanzaBytesMaximum = 65_536
  /// Stanzas that a client may send before its login is answered; they wait.
  public var earlyStanzasMaximum = 16
  /// Messages and acknowledgements of the client that wait for the engine; from then on nothing more is read.
  public var worksMaximum = 32
  /// Messages that may be unacknowledged and still be acknowledged by their number; older ones only by their id. No
  /// fewer than a mailbox holds, whatever flood one app is in: the others' acknowledgements must count.
  public var unacknowledgedMaximum = 4_096
  /// Ids that are remembered from their acknowledgement to the next heartbeat.
  public var settledMaximum = 32
  /// The shortest interval at which a client may have the server ping it.
  public var heartbeatMinimum: Duration = .seconds(5)
  /// The longest silence of the server, and what clients are told to keep to. Spec: GCM D8.8.
  public var heartbeatInterval: Duration = .seconds(900)
  /// From a ping to the end of the connection of a client that does not answer. Spec: GCM D8.8.
  public var heartbeatAnswerTimeout: Duration = .seconds(60)
  /// From the connection to its login's answer.
  public var loginTimeout: Duration = .seconds(10)

  /// Messages until a stream ack. Spec: GCM D8.2.
  static let streamAckEvery = 10

  /// As the wire has it.
  var heartbeatIntervalMilliseconds: Int32 { Int32(min(max(heartbeatInterval / .milliseconds(1), 1), 2_147_483_647)) }

  public init() {}
}
