package import EngineKit
package import StorageEngine

/// Why a file is not taken or not given. `FileAPI` alone turns it into a status.
package enum FileFailure: Error, Equatable {
  /// 400.
  case invalid(field: String, reason: String)
  /// Its first bytes are not those of the type that it is said to be; `found`: what they are of. 415.
  case mismatch(declared: String, found: String?)
  /// The operator's scan has refused it: 422.
  case refused
  /// Whether it is clean cannot be said now: 503 with Retry-After.
  case notScanned
  /// There is no such file, or not for whoever asks: 404.
  case unknown
  case chat(EngineError)
  case storage(StorageFailure)
}
