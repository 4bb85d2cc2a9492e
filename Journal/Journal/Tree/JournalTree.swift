internal import JournalFormat
internal import Synchronization
public import SystemPackage
internal import Transparency

/// The Merkle tree over a journal's records, kept as tiles beside the journal (`FORMAT.md`, "Tree").
///
/// ```
///  unknown ──STATE is good──────────────────────────────> growing ──a doubt──> unknown
///     └────── missing, damaged, of another history ──> from nothing, or from a snapshot's edge ──> growing
/// ```
/// Nothing is lost with it as long as the journal has its beginning: what is missing or doubtful is made anew. Nobody
/// waits for it. Safe to share: the maker is touched only by whoever has `turn`, all else stands under a mutex.
public final class JournalTree: @unchecked Sendable {
  /// To be given to the journal's writer: saves reading what it has just written.
  public let leaves = LeafHandover()

  let journal: JournalDirectory
  let files: TreeFiles
  let known = Mutex(Known())
  private let turn = ThreadLock()
  /// Under `turn`; nil until something is made, and after an error.
  private var maker: TreeMaker?

  /// What readers may believe.
  struct Known: Sendable {
    var edge = TreeEdge()
    var beginning = TreeEdge()
    var isMade = false
    /// Somebody had a doubt: it is made anew.
    var isDoubtful = false
    /// Counts how often files were replaced: what was read before is worth nothing.
    var generation = 0
    var lost: TreeError?
  }

  /// - Parameters:
  ///   - directory: the journal's; nothing is made before `extend`.
  ///   - archive: `archive` below `directory` if nil.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    journal = JournalDirectory(path: directory, archive: archive, storage: storage)
    files = TreeFiles(journal: journal)
  }

  /// How many records are in it; what comes later is asked for later.
  public var size: UInt64 { known.withLock { $0.edge.size } }

  /// Why it cannot be made; nil if it can.
  public var failure: TreeError? { known.withLock { $0.lost } }

  /// Whether nothing has to be looked at or made anew before it can grow: asked for proofs, it gives some.
  public var isMade: Bool { known.withLock { $0.isMade && !$0.isDoubtful } }

  /// Has it made anew: somebody found that something is wrong with it.
  public func distrust() { known.withLock { $0.isDoubtful = true } }

  // MARK: Making

  /// How far the tree is.
  public struct Progress: Sendable, Equatable {
    public var size: UInt64 = 0
    /// There is more to do at once.
    public var hasMore = false

    public init() {}
  }

  /// Puts records into the tree: those that the writer has handed over, or those of one segment. Begins by looking at
  /// what is there, and makes it anew if that is missing or doubtful. Blocks; others who call it wait.
  ///
  /// - Parameters:
  ///   - position: of the last record on the disk.
  ///   - isWanted: asked now and then; once it says no, nothing more is made.
  /// - Throws: `lost`; what is wrong with a segment, or with the disk: the next call begins by looking again.
  public func extend(
    upTo position: UInt64, isWanted: @escaping @Sendable () -> Bool = { true }
  ) throws(TreeError) -> Progress {
    try inTurn {
      let maker = try usableMaker()
      var progress = Progress()
      progress.hasMore = try extend(maker, upTo: position, isWanted)
      if maker.unstoredCount >= Limits.treeUnstoredCount { try maker.store() }
      progress.size = maker.edge.size
      return progress
    }
  }

  /// Makes durable what `extend` has made: until then a crash has it made again.
  ///
  /// - Throws: `journal`.
  public func store() throws(TreeError) { try inTurn { try maker?.store() } }

  /// - Returns: whether there is more to do at once.
  private func extend(
    _ maker: TreeMaker, upTo position: UInt64, _ isWanted: @escaping @Sendable () -> Bool
  ) throws -> Bool {
    let before = maker.edge.size
    if let stretch = leaves.take(after: before) {
      try maker.add(stretch.entries)
      maker.reach(stretch.point)
    } else if before < position {
      let reader = LeafReader(journal: journal, isWanted: isWanted)
      let reached = try reader.read(after: maker.point, upTo: position) { entries in
        try maker.add(entries)
        if maker.unstoredCount >= Limits.treeUnstoredCount { self.show(maker) }
      }
      // It was there a moment ago: somebody has put another journal in its place.
      guard let reached else { throw TreeError.doubtful }
      maker.reach(reached)
    }
    show(maker)
    return maker.edge.size > before && maker.edge.size < position && isWanted()
  }

  private func show(_ maker: TreeMaker) { known.withLock { $0.edge = maker.edge } }

  private func inTurn<Result>(_ body: () throws -> Result) throws(TreeError) -> Result {
    turn.lock()
    defer { turn.unlock() }
    do {
      return try body()
    } catch {
      maker = nil
      let error = Self.error(error)
      if case .lost = error { known.withLock { $0.lost = error } }
      throw error
    }
  }

  static func error(_ error: any Error) -> TreeError {
    switch error {
    case let error as TreeError: error
    case let error as TileProverError: TreeError(error)
    case let error as JournalError: .journal(error)
    case let error as StorageError: TreeError(error)
    default: preconditionFailure("a tree is made of files of the journal: \(error)")
    }
  }

  private func usableMaker() throws -> TreeMaker {
    let isDoubtful = known.withLock { known in
      defer { known.isDoubtful = false }
      return known.isDoubtful
    }
    if let maker, !isDoubtful { return maker }
    maker = nil
    let maker = try (isDoubtful ? nil : storedMaker()) ?? newMaker()
    known.withLock { known in
      known.edge = maker.edge
      known.beginning = maker.beginning
      (known.isMade, known.lost) = (true, nil)
      known.generation += 1
    }
    self.maker = maker
    return maker
  }

  /// Goes on with what is there; nil if that is not to be believed.
  private func storedMaker() throws -> TreeMaker? {
    do {
      guard let (state, edge, beginning) = try look(), try LeafReader(journal: journal).holds(state.point) else {
        return nil
      }
      return TreeMaker(files, edge: edge, beginning: beginning, point: state.point, isStored: true)
    } catch let error as TreeError {
      if case .journal = error { throw error }
      return nil
    }
  }

  /// Begins anew: at the journal's beginning; or, if that is gone, behind the oldest edge that is known.
  private func newMaker() throws -> TreeMaker {
    let start = try self.start()
    known.withLock { known in
      (known.edge, known.beginning, known.isMade) = (TreeEdge(), TreeEdge(), false)
      known.generation += 1
    }
    try files.removeAll()
    try files.makeDirectory()
    let beginning = start?.edge ?? TreeEdge()
    return TreeMaker(files, edge: beginning, beginning: beginning, point: start?.point, isStored: false)
  }

  /// - Returns: nil for the journal's beginning.
  /// - Throws: `lost`.
  func start() throws -> (point: JournalPoint, edge: TreeEdge)? {
    guard let first = try journal.numbers().first else { return nil }
    let oldest = try journal.header(of: first).header.firstPosition
    guard oldest > 1 else { return nil }
    var states = try TreeEdges(journal: journal).all()
    if let own = try? files.state() { states.append(own) }
    for state in states.sorted(by: { $0.point.position < $1.point.position })
    where state.point.position + 1 >= oldest {
      guard let edge = TreeFiles.edges(of: state)?.edge, try LeafReader(journal: journal).holds(state.point) else {
        continue
      }
      return (state.point, edge)
    }
    throw TreeError.lost(oldest: oldest)
  }
}
