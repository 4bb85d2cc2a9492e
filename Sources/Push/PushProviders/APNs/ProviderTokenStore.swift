public import EventSourcing
internal import Foundation
internal import JSONEnvelope

/// A provider token and the moment it was made. Its `description` leaves out the token: whoever has it can push.
public struct StoredProviderToken: Sendable, Equatable, CustomStringConvertible {
  public let token: String
  /// Whole seconds, as the token itself says (`iat`).
  public let issuedAt: Timestamp

  public init(token: String, issuedAt: Timestamp) {
    self.token = token
    self.issuedAt = issuedAt
  }

  public var description: String { "provider token of \(issuedAt.iso8601)" }
}

/// Keeps provider tokens over a restart: Apple counts how often a team makes new ones. Spec: providers 2.2.
///
/// Called rarely (at first use, then every 50 minutes), so it may touch a disk.
public protocol ProviderTokenStore: Sendable {
  /// The token last saved under this name; nil if there is none or it cannot be read.
  func load(_ name: String) -> StoredProviderToken?
  /// Replaces it. A failure is borne: the token is in use anyway.
  func save(_ token: StoredProviderToken, as name: String)
}

/// A file for each token, readable by its owner only and replaced in one step. Spec: providers 2.2.
///
/// Nothing is synced: what has to be survived is a process that dies and starts again and again.
public struct FileProviderTokenStore: ProviderTokenStore {
  static let fileBytesMaximum = 16_384

  private let directory: URL

  /// - Parameter directory: made when the first token is saved.
  public init(directory: String) { self.directory = URL(fileURLWithPath: directory, isDirectory: true) }

  public func load(_ name: String) -> StoredProviderToken? {
    guard let handle = try? FileHandle(forReadingFrom: file(name)) else { return nil }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: Self.fileBytesMaximum),
      let object = try? JSONValue(parsing: Array(data)).object,
      let token = object["token"]?.string, let seconds = object["issued_at"]?.integer,
      // What was stored may stand in a header again.
      !token.isEmpty, PushText.isPrintable(token), let milliseconds = Int64(exactly: seconds),
      milliseconds < .max / 1000,
      milliseconds > 0
    else { return nil }
    return StoredProviderToken(token: token, issuedAt: Timestamp(milliseconds: milliseconds * 1000))
  }

  public func save(_ token: StoredProviderToken, as name: String) {
    let manager = FileManager.default
    try? manager.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let text = JSONWriter.object { file in
      file.member("token", token.token)
      file.member("issued_at", token.issuedAt.milliseconds / 1000)
    }
    let (target, temporary) = (file(name), file(name + "." + UUID().uuidString + ".new"))
    // The permissions are there before the content is.
    guard manager.createFile(atPath: temporary.path, contents: Data(text), attributes: [.posixPermissions: 0o600])
    else { return }
    if rename(temporary.path, target.path) != 0 { try? manager.removeItem(at: temporary) }
  }

  /// Names are digests in letters, digits, `-` and `_`; anything else is hashed, so that it cannot leave the directory.
  private func file(_ name: String) -> URL {
    let isPlain = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || [45, 46, 95].contains(byte)
    }
    return directory.appending(
      path: isPlain && !name.isEmpty && !name.hasPrefix(".") ? name : PushText.fullDigest(name))
  }
}
