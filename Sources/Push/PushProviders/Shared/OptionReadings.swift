internal import PushDomain
internal import Synchronization

/// What a provider has read in sets of options, one reading for each set: with each push it asks for two dozen options,
/// three times over.
final class OptionReadings<Reading: Sendable>: Sendable {
  /// Beyond it all are forgotten: those of options that are in force no longer among them.
  static var maximum: Int { 256 }

  private struct Key: Hashable {
    let options: ObjectIdentifier
    let provider: String?
    let debug: Bool
  }

  private struct Entry {
    /// Kept, so that no other set is taken for it.
    let options: PushOptions.Identity
    let reading: Reading
  }

  private let read: @Sendable (PushAddress, PushOptions) -> Reading
  private let entries = Mutex<[Key: Entry]>([:])

  /// - Parameter read: makes it of the options, and of the provider and the environment that the target names.
  init(_ read: @escaping @Sendable (PushAddress, PushOptions) -> Reading) { self.read = read }

  subscript(target: PushAddress, options: PushOptions) -> Reading {
    let key = Key(options: ObjectIdentifier(options.identity), provider: target.provider, debug: target.debug)
    if let known = entries.withLock({ $0[key]?.reading }) { return known }
    let made = read(target, options)
    entries.withLock { entries in
      if entries.count >= Self.maximum { entries = [:] }
      entries[key] = Entry(options: options.identity, reading: made)
    }
    return made
  }
}
