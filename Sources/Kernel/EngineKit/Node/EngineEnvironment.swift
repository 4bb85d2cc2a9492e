package import EntityRuntime
package import Journal

/// What the engine takes from the world around it: time, the disk, chance, and threads for what blocks.
///
/// A simulation puts its own in place of each, and then everything happens on one thread, in an order that a seed
/// decides.
package struct EngineEnvironment: Sendable {
  package var time: any TimeSource = SystemTime()
  package var storage: any JournalStorage = DiskStorage()
  /// Fills bytes that nobody can guess: ids are bearer secrets.
  package var randomBytes: @Sendable (UnsafeMutableRawBufferPointer) -> Void = JournalConfiguration.systemRandomBytes
  /// Nothing runs by itself: what blocks is done where it is asked for, and the owner turns the timer wheel
  /// (`Engine.tick`) and lets the journal commit (`Engine.stepJournal`).
  package var isStepped = false

  package init() {}
}
