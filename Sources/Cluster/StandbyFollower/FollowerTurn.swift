internal import Journal
internal import StandbyWire

/// What a stream has brought and nobody has looked at yet.
struct FollowerTurn {
  let isCopying: Bool
  var pieces: [(place: StandbyPlace, bytes: [UInt8])] = []
  /// The last one that has come.
  var mark: StandbyMessage.Mark?
  /// Something was announced that the manifest has and nothing that comes depends on.
  var hasNews = false
  private let words: AsyncStream<CopyEnd>.Continuation
  private let kept: AsyncStream<FollowerKeeper.News>.Continuation
  /// Whose snapshots and removals wait until the journal here has come as far.
  private var waiting: FollowerKeeper.News?
  private var lookedAt: Int64 = 0
  private var acknowledged: CopyEnd?

  /// The segment whose first byte came last: one of which a part was here before may have been another file then.
  private var begun: UInt64?

  init(
    isCopying: Bool, words: AsyncStream<CopyEnd>.Continuation, kept: AsyncStream<FollowerKeeper.News>.Continuation
  ) {
    self.isCopying = isCopying
    self.words = words
    self.kept = kept
  }

  mutating func received(_ bytes: [UInt8], _ place: StandbyPlace) {
    if place.offset == 0 { begun = place.segment }
    pieces.append((place, bytes))
  }

  /// Whether all of a segment that is sealed has come over this stream.
  func hasWhole(_ segment: UInt64) -> Bool { begun == segment }

  mutating func synced(_ end: CopyEnd) {
    // A copy that is not whole yet holds nothing that may be relied on.
    if !isCopying, end != acknowledged {
      acknowledged = end
      words.yield(end)
    }
    handOver(end)
  }

  mutating func looked(_ news: FollowerKeeper.News, at now: Int64, end: CopyEnd?) {
    (lookedAt, hasNews) = (now, false)
    waiting = news
    if let end { handOver(end) }
  }

  /// - Parameter now: milliseconds since 1970.
  func isManifestDue(_ now: Int64) -> Bool {
    hasNews || now - lookedAt >= Int64(FollowerLimits.manifestInterval / .milliseconds(1)) || now < lookedAt
  }

  private mutating func handOver(_ end: CopyEnd) {
    guard let news = waiting, !isCopying, end.position >= news.manifest.position else { return }
    kept.yield(news)
    waiting = nil
  }
}
