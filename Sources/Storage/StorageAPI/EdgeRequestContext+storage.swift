package import HTTPKit
package import StorageEngine

extension EdgeRequestContext {
  /// Whose share is taken of what is stored; nil for whoever has no budget.
  package var storageSource: StorageSource? { sharer.map { StorageSource($0) } }
}
