import Engine

extension EdgeRequestContext {
  /// Whose share is taken of what is stored; nil for whoever has no budget.
  var storageSource: StorageSource? { sharer.map { StorageSource($0) } }
}
