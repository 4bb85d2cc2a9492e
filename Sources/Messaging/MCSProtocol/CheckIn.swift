internal import SwiftProtobuf

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

/// What a device says at its check-in, as far as a server wants to know. Spec: GCM D2.2.
public struct CheckIn: Sendable, Equatable {
  /// Nil for a device that has no identity yet.
  public let androidID: UInt64?
  /// 0 if it says none.
  public let securityToken: UInt64

  /// - Throws: `MalformedCheckIn` if the bytes are no such message.
  public init(parsing bytes: [UInt8]) throws(MalformedCheckIn) {
    guard let request = try? CheckinRequest(serializedBytes: bytes) else { throw MalformedCheckIn() }
    androidID = request.id == 0 ? nil : UInt64(bitPattern: request.id)
    securityToken = request.securityToken
  }
}

public struct MalformedCheckIn: Error, Sendable, Equatable {}

/// The answer to a check-in: who the device is, and where it shall go. Spec: GCM D2.3.
public struct CheckInAnswer: Sendable {
  public var androidID: UInt64
  public var securityToken: UInt64
  /// Since the beginning of 1970.
  public var milliseconds: Int64
  /// All that there are: a device forgets those of an earlier answer.
  public var settings: [(name: String, value: String)]

  public init(
    androidID: UInt64, securityToken: UInt64, milliseconds: Int64, settings: [(name: String, value: String)]
  ) {
    self.androidID = androidID
    self.securityToken = securityToken
    self.milliseconds = milliseconds
    self.settings = settings
  }

  /// The protobuf message.
  public var bytes: [UInt8] {
    var response = CheckinResponse()
    response.statsOk = true
    response.timeMsec = milliseconds
    response.androidID = androidID
    response.securityToken = securityToken
    // Chromium reads the settings only if this is said. Spec: GCM D2.3.
    response.settingsDiff = false
    response.setting = settings.map { setting in
      var field = CheckinSetting()
      field.name = Data(setting.name.utf8)
      field.value = Data(setting.value.utf8)
      return field
    }
    guard let bytes: [UInt8] = try? response.serializedBytes() else {
      preconditionFailure("every required field is set")
    }
    return bytes
  }
}
