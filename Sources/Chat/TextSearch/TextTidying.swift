/// A piece of tidying: some segments become one, without the texts of owners who are gone. Pure: to be done beside those
/// who search, and handed back with `adopt`.
public struct TextTidying: Sendable {
  fileprivate let segments: [TextSegment]
  fileprivate let gone: Set<UInt32>

  /// What came of it.
  public struct Result: Sendable {
    fileprivate let tidying: TextTidying
    fileprivate let segment: TextSegment?
    /// How many texts of each owner were left out.
    fileprivate let dropped: [UInt32: Int]
  }

  public func perform() -> Result {
    var merging = SegmentMerging(segments, without: gone)
    let segment = merging.merged()
    return Result(tidying: self, segment: segment, dropped: merging.dropped)
  }
}

extension TextIndex {
  /// What is to be done so that the words of these, who are gone, are out of memory; nil if they are. What is still under
  /// way for others may have them until it is handed back, and refused.
  public func dueTidying(of owners: Set<UInt32>) -> TextTidying? {
    let left = owners.filter { gone[$0] != nil }
    return segments.first { kept in
      kept.gone > 0 && left.contains { !kept.segment.places.texts(ofOwner: $0).isEmpty }
    }.map { tidying([$0]) }
  }

  /// What is to be done next; nil if nothing is.
  public func dueTidying() -> TextTidying? {
    if let worn = segments.first(where: { $0.gone * limits.goneShare >= max(1, $0.segment.count) }) {
      return tidying([worn])
    }
    var least = 0
    var bound = limits.headTextsMaximum
    while least < limits.segmentTextsMaximum {
      let alike = segments.filter { (least..<bound).contains($0.segment.count) }
      if alike.count >= limits.segmentsMerged, let several = fitting(alike) { return tidying(several) }
      (least, bound) = (bound, bound * limits.segmentsMerged)
    }
    return nil
  }

  /// The first ones of these that may be one; nil if no two may.
  private func fitting(_ alike: [Kept]) -> [Kept]? {
    var room = limits.segmentTextsMaximum
    let several = alike.prefix(limits.segmentsMerged).prefix { kept in
      room -= kept.segment.count
      return room >= 0
    }
    return several.count > 1 ? Array(several) : nil
  }

  private func tidying(_ kept: [Kept]) -> TextTidying {
    TextTidying(segments: kept.map(\.segment), gone: Set(gone.keys))
  }

  /// Takes over what tidying has made. - Returns: false if the index has changed in the meantime: it is to be done again.
  @discardableResult
  public mutating func adopt(_ result: TextTidying.Result) -> Bool {
    let inputs = Set(result.tidying.segments.map(ObjectIdentifier.init))
    guard segments.count(where: { inputs.contains(ObjectIdentifier($0.segment)) }) == inputs.count else { return false }
    let place = segments.firstIndex { inputs.contains(ObjectIdentifier($0.segment)) } ?? segments.endIndex
    segments.removeAll { inputs.contains(ObjectIdentifier($0.segment)) }
    if let segment = result.segment {
      var kept = Kept(segment: segment)
      for owner in gone.keys where !result.tidying.gone.contains(owner) {
        kept.gone += segment.places.texts(ofOwner: owner).count
      }
      segments.insert(kept, at: place)
    }
    for (owner, texts) in result.dropped { left(owner, texts) }
    return true
  }
}
