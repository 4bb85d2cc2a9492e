package import StorageDomain

/// Who asks for what is stored.
public enum StorageCaller: Sendable, Equatable {
  /// This house itself: it sees everything.
  case house
  /// Somebody who shows this `gms_user`, or none.
  case customer(userKey: String?)
}

/// The data that service instances have of themselves, below what is stored for them.
package protocol InstanceData: Sendable {
  /// Nil if there is no such instance, or none for this caller.
  func data(of id: String, for caller: StorageCaller) async -> [StoredPair]?
  /// Whether a file was sent in the chat of an instance that is still there.
  func hasFile(_ id: String, inChatOf instance: String) async -> Bool
  /// How long data of its own lives before it is looked whether the instance does. Spec: GMS 8.3, `_ttl`.
  func seconds(of id: String) -> Int
}
