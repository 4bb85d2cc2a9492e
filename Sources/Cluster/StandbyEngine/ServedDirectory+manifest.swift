import Journal
import StandbyWire

extension ServedDirectory {
  /// A page of the manifest.
  ///
  /// - Parameters:
  ///   - after: the path behind which it begins; nil for the first page.
  ///   - count: of its files at most.
  ///   - extent: how far the journal's writer is; asked before the files are looked at and behind that.
  /// - Throws: `StandbyRefusal.notReady`; `StorageError`, `FormatError`.
  func manifest(
    after: StandbyPath?, count: Int = StandbyLimits.manifestPageCountMaximum, extent: () -> StandbyExtent?
  ) throws -> StandbyManifest {
    // Whatever a segment before this one is, nothing will be added to it.
    guard let before = extent() else { throw StandbyRefusal.notReady }
    let start = after?.text ?? ""
    let others = try segmentsRead() + smallFiles()
    let rest = (try blobs(after: start, count: count + 1) + others.filter { $0.text > start })
      .sorted { $0.text < $1.text }
    let page = rest.prefix(count)
    var (segments, files): ([StandbyManifest.Segment], [StandbyFile]) = ([], [])
    for place in page {
      // What has gone since it was listed is not there.
      guard let file = try openIfThere(place) else { continue }
      if let number = place.segment {
        segments.append(
          StandbyManifest.Segment(
            id: try id(of: file, place), file: file.described(as: place), isSealed: number < before.place.segment))
      } else {
        files.append(file.described(as: place))
      }
    }
    guard let identity = try identity(), let now = extent() else { throw StandbyRefusal.notReady }
    return StandbyManifest(
      identity: identity, epoch: now.epoch, place: now.place, position: now.position, segments: segments,
      files: files, next: rest.count > page.count ? page.last : nil)
  }
}
