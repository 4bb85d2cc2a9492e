package import SystemPackage

/// Whoever keeps copies of the stored files.
package struct BlobObserver: Sendable {
  /// A file is on the disk, and no record names it yet. Called on a thread that may wait for the disk.
  let stored: @Sendable (FilePath) -> Void
  /// Files have been removed.
  let removed: @Sendable () -> Void

  package init(stored: @escaping @Sendable (FilePath) -> Void, removed: @escaping @Sendable () -> Void) {
    self.stored = stored
    self.removed = removed
  }
}
