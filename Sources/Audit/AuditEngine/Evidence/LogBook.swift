package import Transparency

/// What a log has said, and which witnesses have seen it: a value without clock and disk. Only what is on the disk comes
/// into it, so that all that it shows may be shown.
///
/// ```
///   made ──> kept, shown to each witness ──cosignatures──> has its quorum ──> published
///                        └──── a witness fails ──> asked again, later each time
/// ```
package struct LogBook: Sendable {
  /// A checkpoint that is kept.
  package struct Entry: Sendable, Equatable {
    package let checkpoint: LogCheckpoint
    package fileprivate(set) var note: SignedNote
    /// When each of the witnesses has cosigned, in seconds since 1970 by its own clock.
    package fileprivate(set) var cosigned: [VerifierKey: UInt64] = [:]

    package var size: UInt64 { checkpoint.head.size }
  }

  /// How it stands with a witness.
  package struct Witness: Sendable, Equatable {
    package let key: VerifierKey
    package let url: String
    /// The size of the largest checkpoint that it has cosigned, as far as we know; 0 if we do not.
    package fileprivate(set) var knownSize: UInt64 = 0
    /// When it has cosigned last, by its clock.
    package fileprivate(set) var unixSeconds: UInt64?
    /// Why it has not, the last time that it was asked; nil if it has.
    package fileprivate(set) var failure: CosigningFailure?
    fileprivate var failuresInRow = 0
    fileprivate var nextMilliseconds: Int64 = 0
    fileprivate var isWanted = false
    fileprivate var isAsked = false
  }

  package private(set) var settings: LogSettings?
  package private(set) var key: VerifierKey?
  /// By our key and of our origin, the smallest first.
  package private(set) var entries: [Entry] = []
  package private(set) var witnesses: [Witness] = []
  /// Sizes of what else is kept: of another key or origin, from before.
  private var otherSizes: [UInt64] = []
  /// What was shown does not shrink again.
  private var publishedSize: UInt64 = 0

  package init() {}

  // MARK: What is shown

  package var newest: Entry? { entries.last }

  /// The newest that has its quorum; as long as none has, the newest of all: whoever asks for witnesses refuses that
  /// themselves, and everybody else need not wait for them.
  package var published: Entry? {
    guard let settings else { return nil }
    let best = entries.last { $0.cosigned.count >= settings.quorum } ?? entries.last
    guard let best, best.size < publishedSize else { return best }
    return entries.last { $0.size == publishedSize } ?? best
  }

  // MARK: Keeping

  /// Other settings or another key are in force.
  ///
  /// - Parameter notes: all that are kept; those of others are left out.
  mutating func configure(_ settings: LogSettings, _ key: VerifierKey, notes: [(size: UInt64, note: SignedNote)]) {
    let former = Dictionary(witnesses.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    if key != self.key { publishedSize = 0 }
    (self.settings, self.key) = (settings, key)
    entries = notes.compactMap { Self.entry($0.note, key, settings.witnesses.map(\.key)) }.sorted { $0.size < $1.size }
    let sizes = Set(entries.map(\.size))
    otherSizes = notes.map(\.size).filter { !sizes.contains($0) }
    witnesses = settings.witnesses.map { witness in
      var state = Witness(key: witness.key, url: witness.url)
      if let last = entries.last(where: { $0.cosigned[witness.key] != nil }) {
        (state.knownSize, state.unixSeconds) = (last.size, last.cosigned[witness.key])
      }
      // An answer that is under way finds whom it is from.
      state.isAsked = former[witness.key]?.isAsked ?? false
      state.isWanted = state.knownSize < newest?.size ?? 0
      return state
    }
    settle()
  }

  private static func entry(_ note: SignedNote, _ key: VerifierKey, _ witnesses: [VerifierKey]) -> Entry? {
    guard let checkpoint = try? LogCheckpoint(text: note.text), checkpoint.origin == key.name,
      (try? note.verify(with: [key])) != nil
    else { return nil }
    var entry = Entry(checkpoint: checkpoint, note: note)
    for witness in witnesses { entry.cosigned[witness] = (try? note.verify(with: [witness]))?.first?.unixSeconds }
    return entry
  }

  /// A checkpoint is on the disk: every witness is to see it.
  mutating func add(_ note: SignedNote, _ checkpoint: LogCheckpoint) {
    entries.removeAll { $0.size == checkpoint.head.size }
    otherSizes.removeAll { $0 == checkpoint.head.size }
    entries.append(Entry(checkpoint: checkpoint, note: note))
    entries.sort { $0.size < $1.size }
    wantAll()
    settle()
  }

  /// Every witness is to cosign the newest, also one that has: it says then that it still sees nothing else.
  mutating func wantAll() {
    for index in witnesses.indices { witnesses[index].isWanted = true }
  }

  /// A checkpoint with more cosignatures is on the disk.
  mutating func update(_ note: SignedNote, size: UInt64) {
    guard let index = entries.firstIndex(where: { $0.size == size }) else { return }
    guard let key, let entry = Self.entry(note, key, witnesses.map(\.key)) else { return }
    entries[index] = entry
    settle()
  }

  /// Whether a signature is part of what is kept.
  func holds(_ signature: NoteSignature, size: UInt64) -> Bool {
    entries.first { $0.size == size }?.note.signatures.contains(signature) ?? false
  }

  private mutating func settle() { publishedSize = published?.size ?? 0 }

  /// The sizes of those that are too many, the smallest first. Those that are shown stay, and what each witness has
  /// cosigned last.
  func excess(beyond maximum: Int) -> [UInt64] {
    let sizes = otherSizes + entries.map(\.size)
    let needed = Set([newest?.size, published?.size].compactMap(\.self) + witnesses.map(\.knownSize))
    return sizes.prefix(max(0, sizes.count - maximum)).filter { !needed.contains($0) }
  }

  mutating func forget(_ sizes: [UInt64]) {
    otherSizes.removeAll { sizes.contains($0) }
    entries.removeAll { sizes.contains($0.size) }
  }

  // MARK: Witnesses

  /// Those that are to be asked now, for the newest checkpoint; they count as asked from here on.
  mutating func takeDue(at milliseconds: Int64) -> [Witness] {
    guard newest != nil else { return [] }
    var due: [Witness] = []
    for index in witnesses.indices {
      let witness = witnesses[index]
      guard witness.isWanted, !witness.isAsked, milliseconds >= witness.nextMilliseconds else { continue }
      witnesses[index].isAsked = true
      due.append(witnesses[index])
    }
    return due
  }

  /// A witness has cosigned, and that is on the disk.
  mutating func cosigned(_ key: VerifierKey, size: UInt64, unixSeconds: UInt64) {
    let newestSize = newest?.size ?? 0
    change(key) { witness in
      witness.knownSize = max(witness.knownSize, size)
      witness.unixSeconds = unixSeconds
      (witness.failure, witness.failuresInRow, witness.nextMilliseconds) = (nil, 0, 0)
      witness.isWanted = size < newestSize
    }
  }

  /// A witness has not cosigned, or we could not keep it.
  ///
  /// - Parameters:
  ///   - failure: nil if it is ours.
  ///   - pause: in milliseconds, before it is asked again the first time, and at most.
  /// - Returns: whether something else was wrong before.
  @discardableResult
  mutating func failed(
    _ key: VerifierKey, _ failure: CosigningFailure?, at milliseconds: Int64, pause: ClosedRange<Int64>
  ) -> Bool {
    var isNew = false
    change(key) { witness in
      isNew = failure != witness.failure
      witness.failure = failure
      witness.failuresInRow += 1
      let wait = pause.lowerBound << Int64(min(witness.failuresInRow - 1, 20))
      witness.nextMilliseconds = milliseconds + min(wait, pause.upperBound)
    }
    return isNew
  }

  private mutating func change(_ key: VerifierKey, _ body: (inout Witness) -> Void) {
    guard let index = witnesses.firstIndex(where: { $0.key == key }) else { return }
    witnesses[index].isAsked = false
    var witness = witnesses[index]
    body(&witness)
    witnesses[index] = witness
  }
}
