public import PushDomain

/// The live connection of one device, as the engine sees it. Implemented by `DeviceEdge` (MCS) and `HTTPEdge`
/// (WebSocket); and of an app server, by `CCSEdge`.
public protocol MailLink: AnyObject, Sendable {
  /// Writes one message. Any thread; never blocks. The link drops one that it has sent on this connection and not been
  /// told the end of (by its id); a link that cannot keep up closes itself.
  func deliver(_ mail: Mail)
  /// Ends the connection; nothing is delivered after it. Any thread.
  func close(_ reason: MailLinkClosing)
}

public enum MailLinkClosing: Sendable, Equatable {
  /// The same device has logged in again: one connection each. Spec: GCM D8.9.
  case replaced
  /// The server stops. Spec: GCM C13.
  case draining
  /// The identity is gone.
  case revoked
}

/// Names a device that has checked in. Spec: GCM D2.
public struct InstallationID: Sendable, Hashable {
  public let androidID: UInt64
  public init(_ androidID: UInt64) { self.androidID = androidID }
}

/// Why a device may not log in, register, or whatever it asked for.
public enum InstallationFailure: Error, Sendable, Equatable {
  /// No such device, or the wrong security token: 401.
  case unauthenticated
  /// `INVALID_SENDER`
  case invalidSender
  /// `INVALID_PARAMETERS`; the text says which, for the log of the app's developer.
  case invalidParameters(String)
  /// `TOO_MANY_REGISTRATIONS`: this device has as many as it may.
  case tooManyRegistrations
  /// `TOO_MANY_SUBSCRIBERS`, `TOO_MANY_TOPICS`
  case tooManyTopics
  /// The token is not (or no longer) one.
  case notRegistered
  /// The engine has no room, or is not ready: try again.
  case unavailable
}
