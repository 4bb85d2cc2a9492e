package import StandbyWire

extension Primary {
  /// The whole manifest, page after page.
  ///
  /// - Throws: `PrimaryFailure`; `wire` if its pages come to no end, or are more than `FollowerLimits` has room for.
  package func manifest(_ caller: PrimaryCaller) async throws(PrimaryFailure) -> StandbyManifest {
    var whole = try await manifest(after: nil, caller)
    var pageCount = 1
    while let next = whole.next {
      let page = try await manifest(after: next, caller)
      pageCount += 1
      // Each page begins behind the one before: there is an end.
      if let behind = page.next, behind.text <= next.text { throw .wire(.document) }
      let entryCount = whole.segments.count + whole.files.count + page.segments.count + page.files.count
      guard pageCount <= FollowerLimits.manifestPagesMaximum, entryCount <= FollowerLimits.manifestEntriesMaximum
      else { throw .wire(.tooLong) }
      let earlier = (whole.segments, whole.files)
      // What the last page knows, all of them may know.
      whole = page
      whole.segments = earlier.0 + page.segments
      whole.files = earlier.1 + page.files
    }
    return whole
  }
}
