public import Journal
public import JournalFormat
public import StandbyWire

/// What a standby does next, and when it gives up: a value that neither asks nor writes.
///
/// ```
///              manifest             all files are there              the stream ended
///   looking ────────────> fetching ─────────────────────> streaming ─────────────────> pausing ──> looking
///      ^                     │ one is not kept any more       │ a new copy is whole
///      └─────────────────────┘                                └────────> exchanging ─────────────> looking
/// ```
/// Every refusal and every doubt is decided before anything is written; after `end` nothing is.
public struct FollowerPlan: Sendable {
  public enum Input: Sendable, Equatable {
    /// What the directory holds.
    case started(FollowedJournal)
    /// The whole of it.
    case manifest(StandbyManifest)
    /// All of the work is in its place; the journal that grows ends there.
    case fetched(CopyEnd?)
    /// So much of the journal that grows is on the disk.
    case synced(CopyEnd)
    /// The new copy is in its place.
    case exchanged(FollowedJournal)
    /// The primary's epoch, as the stream says it.
    case epoch(UInt32)
    case refused(StandbyRefusal)
    /// Another answer than was asked for.
    case status(Int)
    /// Nobody answers, or the connection broke.
    case unreachable
    /// Bytes that are not what the journal goes on with.
    case damaged(String)
    /// What is no message, and no manifest.
    case wire(StandbyWireError)
    /// The directory or its disk failed.
    case failed(JournalError)
    /// The pause is over.
    case rested
  }

  public enum Action: Sendable, Equatable {
    /// Ask for the manifest.
    case look
    case fetch(FollowerWork)
    /// - Parameter chain: of the last frame before the place; nil if it is not known.
    case stream(StandbyPlace, chain: Hash256?)
    /// Go on with what is going on.
    case proceed
    /// Put the new copy in its place.
    case exchange
    case pause(Duration)
    case end(FollowerEnd)
  }

  /// Of the directory's own journal.
  private var journal = FollowedJournal()
  /// A new copy is being made.
  public private(set) var isCopying = false
  /// Where it ends.
  private var copyEnd: CopyEnd?
  /// It is whole once it has come so far.
  private var whole: (place: StandbyPlace, position: UInt64)?
  /// How far the primary was by its last manifest, and its first segment that was not sealed.
  private var primary: (place: StandbyPlace, position: UInt64, firstOpen: UInt64)?
  /// The stream does not begin so early any more.
  private var needsFiles = false
  /// Tries since something was synced.
  private var tryCount = 0
  private var damageCount = 0

  /// Where the primary keeps nothing that the directory has, nothing proves that the two are one journal: a new copy is
  /// made all the same.
  private let allowsNewCopy: Bool

  public init(allowsNewCopy: Bool = false) { self.allowsNewCopy = allowsNewCopy }

  /// The journal that grows.
  private var end: CopyEnd? { isCopying ? copyEnd : journal.end }

  public mutating func received(_ input: Input) -> Action {
    switch input {
    case .started(let journal):
      guard journal.mayFollow else { return .end(.isPrimary) }
      self.journal = journal
      return .look
    case .manifest(let manifest): return decide(manifest)
    case .fetched(let end): return fetched(end)
    case .synced(let end): return synced(end)
    case .exchanged(let journal):
      self.journal = journal
      (isCopying, copyEnd, whole) = (false, nil, nil)
      return .look
    case .epoch(let epoch): return heard(epoch) ?? .proceed
    case .refused(let refusal): return refused(refusal)
    case .status(let status): return answered(status)
    case .unreachable: return pause()
    case .damaged(let text):
      damageCount += 1
      return damageCount < FollowerLimits.damageMaximum ? pause() : .end(.damaged(text))
    case .wire(let error):
      // A checksum that is wrong once is a cable; a message that nobody knows is another program.
      guard error == .checksum else { return .end(.unknownWire(error)) }
      return received(.damaged("\(error)"))
    case .failed(let error): return .end(.journal(error))
    case .rested: return .look
    }
  }

  // MARK: The manifest

  private mutating func decide(_ manifest: StandbyManifest) -> Action {
    if let end = heard(manifest.epoch) { return end }
    let firstOpen = manifest.segments.lazy.filter { !$0.isSealed }.map(\.number).min() ?? manifest.place.segment
    primary = (manifest.place, manifest.position, firstOpen)
    if isCopying { return goOnCopying(manifest) }
    guard let end = journal.end else { return copy(manifest) }
    let theirs = Dictionary(manifest.segments.map { ($0.number, $0.id) }) { first, _ in first }
    let shared = journal.segments.filter { theirs[$0.number] != nil }
    let same = shared.filter { theirs[$0.number] == $0.id }
    if same.count < shared.count { return .end(same.isEmpty ? .otherJournal : .parted) }
    if shared.isEmpty {
      let oldest = manifest.segments.map(\.number).min() ?? 0
      // Theirs all come later: they keep less than this copy needs to go on, or are another's.
      guard oldest > end.segment else { return .end(.otherJournal) }
      return allowsNewCopy ? copy(manifest) : .end(.nothingInCommon)
    }
    guard StandbyPlace(segment: end.segment, offset: end.offset) <= manifest.place, end.position <= manifest.position
    else { return .end(.ahead(position: end.position, primary: manifest.position)) }
    return .fetch(
      FollowerWork(
        target: .inPlace, epoch: manifest.epoch, files: manifest.files.filter { !$0.place.isOfSnapshot },
        segments: needsFiles ? manifest.sealedSegments(continuing: end) : []))
  }

  private mutating func copy(_ manifest: StandbyManifest) -> Action {
    isCopying = true
    copyEnd = nil
    return copyWork(manifest, isFresh: true)
  }

  private mutating func goOnCopying(_ manifest: StandbyManifest) -> Action {
    if let end = copyEnd, let theirs = manifest.segments.first(where: { $0.number == end.segment }),
      theirs.id != end.segmentID
    {
      return .end(.otherJournal)
    }
    // What comes next was deleted meanwhile.
    if let end = copyEnd,
      !manifest.segments.contains(where: { $0.number == end.segment || $0.number == end.segment + 1 })
    {
      return copy(manifest)
    }
    return copyWork(manifest, isFresh: copyEnd == nil)
  }

  private mutating func copyWork(_ manifest: StandbyManifest, isFresh: Bool) -> Action {
    whole = (manifest.place, manifest.position)
    let segments: [StandbyManifest.Segment]
    if let copyEnd {
      segments = needsFiles ? manifest.sealedSegments(continuing: copyEnd) : []
    } else {
      segments = manifest.segments.filter(\.isSealed).sorted { $0.number < $1.number }
    }
    return .fetch(
      FollowerWork(
        target: .newCopy(isFresh: isFresh), epoch: manifest.epoch, files: manifest.files, segments: segments))
  }

  // MARK: The stream

  private mutating func fetched(_ end: CopyEnd?) -> Action {
    keep(end)
    needsFiles = false
    guard let primary else { return .look }
    guard let end else {
      let first = primary.firstOpen
      return .stream(StandbyPlace(segment: first, offset: 0), chain: first == 1 ? .zero : nil)
    }
    // A sealed segment may have another length there, or be packed: the next one begins at its own beginning.
    let isNext = end.isSealed && primary.place.segment > end.segment
    let place =
      isNext
      ? StandbyPlace(segment: end.segment + 1, offset: 0) : StandbyPlace(segment: end.segment, offset: end.offset)
    return .stream(place, chain: end.chainHash)
  }

  private mutating func synced(_ end: CopyEnd) -> Action {
    keep(end)
    (tryCount, damageCount) = (0, 0)
    guard isCopying, let whole, StandbyPlace(segment: end.segment, offset: end.offset) >= whole.place,
      end.position >= whole.position
    else { return .proceed }
    return .exchange
  }

  private mutating func keep(_ end: CopyEnd?) {
    guard isCopying else {
      journal.grow(to: end)
      return
    }
    copyEnd = end
  }

  // MARK: What is refused

  /// - Returns: the end, if it is one of a primary whose place was taken.
  private mutating func heard(_ epoch: UInt32) -> Action? {
    guard epoch >= journal.knownEpoch else {
      return .end(.formerPrimary(epoch: epoch, known: journal.knownEpoch))
    }
    journal.knownEpoch = epoch
    return nil
  }

  private mutating func refused(_ refusal: StandbyRefusal) -> Action {
    switch refusal {
    case .parted: return .end(.parted)
    case .ahead: return .end(.ahead(position: end?.position ?? 0, primary: primary?.position ?? 0))
    case .relieved: return .end(.formerPrimary(epoch: nil, known: journal.knownEpoch))
    case .severalPartitions: return .end(.severalPartitions)
    case .notKept:
      needsFiles = true
      // At once the first time: nothing is wrong.
      tryCount += 1
      return tryCount > 1 ? pause() : .look
    case .noFile, .versionDiffers, .tooMany, .notReady, .notFollowing: return pause()
    }
  }

  private mutating func answered(_ status: Int) -> Action {
    switch status {
    case 401, 403: .end(.tokenRefused(status: status))
    case 408, 429, 500...: pause()
    default: .end(.noPrimary(status: status))
    }
  }

  private mutating func pause() -> Action {
    defer { tryCount += 1 }
    // Twice as long each time; shifted no further than matters.
    return .pause(min(FollowerLimits.longestPause, FollowerLimits.firstPause * (1 << min(tryCount, 10))))
  }
}

extension StandbyManifest {
  /// Sealed segments from the one that the copy ends in on, or from the next one, if that is complete.
  fileprivate func sealedSegments(continuing end: CopyEnd) -> [Segment] {
    segments.filter { $0.isSealed && $0.number >= (end.isSealed ? end.segment + 1 : end.segment) }
      .sorted { $0.number < $1.number }
  }
}

extension StandbyPath {
  /// Worth something only once the journal has come as far.
  var isOfSnapshot: Bool {
    switch self {
    case .snapshot, .edge: true
    case .segment, .redactionIntent, .blob, .checkpoint, .tokens, .providerToken: false
    }
  }

  /// A segment, in either form and place.
  var isOfSegment: Bool {
    if case .segment = self { true } else { false }
  }

  /// Lies in the journal's own directory.
  var isOfJournal: Bool {
    switch self {
    case .segment, .snapshot, .edge, .redactionIntent: true
    case .blob, .checkpoint, .tokens, .providerToken: false
    }
  }
}
