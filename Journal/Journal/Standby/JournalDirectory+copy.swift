internal import JournalFormat
internal import SystemPackage

extension JournalDirectory {
  /// The segments that are there, in order; each continues the one before, as far as their headers say.
  ///
  /// - Throws: `missingSegment`, `brokenSequence`; what is wrong with a header.
  func segmentNames() throws(JournalError) -> [SegmentName] {
    var names: [SegmentName] = []
    for number in try numbers() {
      let (header, place) = try header(of: number)
      if let previous = names.last {
        guard number == previous.number + 1 else { throw .missingSegment(segment(previous.number + 1)) }
        guard header.previousID == previous.id else { throw .brokenSequence(place.path) }
      }
      names.append(SegmentName(number: number, id: header.id))
    }
    return names
  }

  /// The header of segment `number`; nil if it is not there.
  func headerIfThere(of number: UInt64) throws(JournalError) -> SegmentHeader? {
    do throws(JournalError) {
      return try header(of: number).header
    } catch {
      guard case .missingSegment = error else { throw error }
      return nil
    }
  }

  /// Whether a new copy is on its way to the place of an old one.
  func hasBegunExchange() throws(JournalError) -> Bool {
    try JournalError.attempt { () throws(StorageError) in
      try CopyExchange(directory: path, storage: storage).hasBegun()
    }
  }

  /// Makes a copy that nothing follows any more end as a journal does: an exchange that was begun is carried out, and
  /// what stands behind the last whole frame is zeroed.
  ///
  /// - Returns: the end; nil without a segment.
  /// - Throws: what is wrong with the last segment, `storage`.
  @discardableResult
  func settleCopy() throws(JournalError) -> CopyEnd? {
    _ = try JournalError.attempt { () throws(StorageError) in
      try CopyExchange(directory: path, storage: storage).finish()
    }
    // Without a thread: nothing is written to it.
    let writer = try CopyWriter(self, isStepped: true)
    defer { writer.close() }
    return writer.end
  }
}
