/// Which stored data is meant.
public enum StoragePlace: Sendable, Equatable {
  /// An id of ours, or one of the user's own. Spec: GMS 11.
  /// - Parameter user: the `gms_user` that is shown; nil for none.
  case id(String, user: String?)
  /// The data of a service instance, for somebody who shows this `gms_user`, or none.
  case instance(String, user: String? = nil)
}

/// From where something is stored: an address, or a block of them, of a stranger. It is nothing but itself.
public struct StorageSource: Sendable, Hashable {
  private let bits: UInt128

  public init(_ bits: UInt128) { self.bits = bits }
}

/// Whose bounds there are for what is stored.
public enum StorageHolder: String, Sendable, Equatable {
  case user, address
}

/// One value that an app stores.
public struct StorageUpload: Sendable, Equatable {
  public enum Content: Sendable, Equatable {
    case text(String)
    case file([UInt8], contentType: String, name: String?)
  }

  public let name: String
  public let content: Content

  public init(_ name: String, _ content: Content) {
    self.name = name
    self.content = content
  }
}

/// One value as it is handed out.
public enum StorageValue: Sendable, Equatable {
  case text(String)
  /// To be asked for apart.
  case file
}

/// A file as it is handed out.
public struct StorageContent: Sendable, Equatable {
  public let bytes: [UInt8]
  /// SHA-256.
  public let digest: [UInt8]
  /// As the app said it.
  public let contentType: String
  public let name: String?
}

/// Why storage refuses. `StorageAPI` alone turns it into a status.
public enum StorageFailure: Error, Equatable, Sendable {
  /// No such data, or not the asker's, or over: 404.
  case unknown
  /// No such service instance, or not the asker's: 404.
  case unknownInstance
  /// The data has no such key, or none of this sort: 404.
  case unknownKey
  /// 400.
  case invalid(field: String, reason: String)
  /// One record may not be larger: 413.
  case tooLarge(limit: Int)
  /// All files together have reached their bound, or the disk is full: 507.
  case full
  /// The user, or the address, has as much as one may have: 429.
  case quota(_ what: String, limit: Int, of: StorageHolder = .user)
  /// A named limit is reached: 503 with Retry-After.
  case limitReached(String)
  /// The file on the disk is not what was stored: 500.
  case damaged
  /// The server is stopping, or the disk has failed: 503 with Retry-After.
  case unavailable
}
