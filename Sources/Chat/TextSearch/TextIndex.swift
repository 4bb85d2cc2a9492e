/// Finds texts by their words, in memory.
///
/// ```
///   texts ─> head (as they came) ─> segments of 1,024 ─8─> of 8,192 ─8─> of 65,536 ─4─> of 262,144
/// ```
/// A segment never changes: it is written anew, with its texts and words sorted, when it is merged with others or when
/// enough of its texts are gone. That is done by `TextTidying`, of which each piece is bounded, beside whoever searches.
/// Whoever has a copy of the index searches what it was when the copy was made.
public struct TextIndex: Sendable {
  struct Kept: Sendable {
    let segment: TextSegment
    /// Texts in it whose owners are gone.
    var gone = 0
  }

  public let limits: TextSearchLimits
  var head = TextHead()
  var segments: [Kept] = []
  /// Owners who are gone, with the number of their texts that are still in segments.
  var gone: [UInt32: Int] = [:]
  /// Owners of whom nothing is left, and whose numbers may be used again.
  private var freed: [UInt32] = []
  /// Texts were let go because there was no room.
  public private(set) var hasLostTexts = false

  public init(limits: TextSearchLimits) { self.limits = limits }

  /// Texts in it, those included whose owners are gone and that were not taken away yet.
  public var count: Int { head.count + segments.reduce(0) { $0 + $1.segment.count } }

  /// What it has allocated.
  public var bytes: Int {
    segments.reduce(head.storageBytes + segments.storageBytes + gone.storageBytes) { $0 + $1.segment.storageBytes }
  }

  public var isFull: Bool { bytes > limits.bytesMaximum }

  // MARK: Changes

  /// - Precondition: the owner has no text at this place, and is not one that is gone and not freed.
  public mutating func add(_ text: TextWords, at place: TextPlace) {
    guard !text.isEmpty else { return }
    head.append(text, at: place)
    guard head.count >= limits.headTextsMaximum else { return }
    segments.append(Kept(segment: head.sealed()))
    head = TextHead()
    while isFull, segments.count > 1 { dropOldest() }
  }

  /// These are not found any more. What they had is taken out of memory by `TextTidying`.
  public mutating func remove(_ owners: Set<UInt32>) {
    head.remove(owners)
    for owner in owners where gone[owner] == nil {
      var left = 0
      for index in segments.indices {
        let texts = segments[index].segment.places.texts(ofOwner: owner).count
        segments[index].gone += texts
        left += texts
      }
      if left > 0 { gone[owner] = left } else { freed.append(owner) }
    }
  }

  /// Owners who were removed and of whom nothing is left, each once.
  public mutating func takeFreed() -> [UInt32] {
    defer { freed = [] }
    return freed
  }

  private mutating func dropOldest() {
    guard let index = segments.indices.min(by: { segments[$0].newest < segments[$1].newest }) else { return }
    hasLostTexts = true
    let places = segments.remove(at: index).segment.places
    for run in places.runs.indices { left(places.runs[run].owner, places.texts(of: run).count) }
  }

  /// So many texts of somebody who is gone were taken away.
  mutating func left(_ owner: UInt32, _ texts: Int) {
    guard let before = gone[owner] else { return }
    gone[owner] = before > texts ? before - texts : nil
    if before <= texts { freed.append(owner) }
  }

  // MARK: Finding

  /// The newest texts that have what is looked for.
  /// - Parameters:
  ///   - place: only what is older than this.
  ///   - fits: whether texts of this owner count; asked only of those that would be among the answer.
  public func find(
    _ query: TextQuery, before place: TextPlace? = nil, limit: Int,
    where fits: (_ owner: UInt32) -> Bool = { _ in true }
  ) -> [TextPlace] {
    var best = NewestPlaces(before: place, limit: limit)
    head.find(query) { place in if best.takes(place), fits(place.owner) { best.insert(place) } }
    for kept in segments.sorted(by: { $0.newest > $1.newest }) {
      // What is in those that follow is older still.
      if best.isFull(to: kept.newest) { break }
      find(query, in: kept.segment.places, kept.segment.texts(with: query), &best, fits)
    }
    return best.places
  }

  private func find(
    _ query: TextQuery, in table: PlaceTable, _ found: TextSet?, _ best: inout NewestPlaces, _ fits: (UInt32) -> Bool
  ) {
    guard let found else { return }
    var next = found.first(from: 0)
    while let first = next {
      let run = table.runs.partition { $0.first > first } - 1
      let texts = table.texts(of: run)
      if gone.isEmpty || gone[table.runs[run].owner] == nil {
        var isFitting: Bool?
        var reader = PlaceTable.Reader(table, run)
        var place = reader.next()
        var at = texts.lowerBound
        while let text = next, text < texts.upperBound {
          while at < text {
            place = reader.next()
            at += 1
          }
          if best.takes(place) {
            let fitting = isFitting ?? fits(place.owner)
            isFitting = fitting
            if fitting { best.insert(place) } else { break }
          }
          next = found.first(from: text + 1)
        }
      }
      next = found.first(from: texts.upperBound)
    }
  }
}

extension TextIndex.Kept {
  var newest: UInt32 { segment.places.newest }
}

extension [UInt32: Int] {
  /// About: the table's own arithmetic is not to be had.
  fileprivate var storageBytes: Int { capacity * (MemoryLayout<UInt32>.stride + MemoryLayout<Int>.stride) * 4 / 3 }
}

/// The newest places of those that it was shown.
private struct NewestPlaces {
  private(set) var places: [TextPlace] = []
  private let before: TextPlace?
  private let limit: Int

  init(before: TextPlace?, limit: Int) {
    self.before = before
    self.limit = limit
  }

  /// Nothing that is not newer than this is taken any more.
  func isFull(to seconds: UInt32) -> Bool {
    guard limit > 0 else { return true }
    return places.count == limit && places[limit - 1].seconds > seconds
  }

  func takes(_ place: TextPlace) -> Bool {
    guard limit > 0 else { return false }
    if let before, place >= before { return false }
    return places.count < limit || places[limit - 1] < place
  }

  mutating func insert(_ place: TextPlace) {
    if places.count == limit { places.removeLast() }
    places.insert(place, at: places.partition { $0 < place })
  }
}
