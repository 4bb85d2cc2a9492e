package import JournalFormat

/// A journal's segments as a store keeps them: the sealed ones, which are history, and at the end the one that is being
/// written, which is only listed and read here.
///
/// Retention, packing and redaction say what becomes of which segment; a vault does it. Each change leaves everything
/// readable, for readers beside it and for whoever comes after a crash in the middle of it. Calls block.
package protocol SegmentVault: Sendable {
  /// Runs `body` while nobody else changes segments, with what a crash left unfinished cleared away. All that changes
  /// something is called from there.
  ///
  /// - Throws: `locked` if somebody else is at it, or what `body` throws.
  func maintain<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result

  /// What is there, oldest first, each segment once; the last one is being written, or the next writer goes on behind it.
  func list() throws(JournalError) -> [SegmentInfo]

  /// The header of a segment, without the rest of it: what begins the next one says where and when this one ended.
  ///
  /// - Throws: `missingSegment` if it is not there; what is wrong with it.
  func header(of number: UInt64) throws(JournalError) -> SegmentHeader

  /// Reads a segment, whatever its form, and checks all of it: checksums, order, every leaf and every link of the chain.
  ///
  /// - Parameters:
  ///   - image: holds it afterwards, plain.
  ///   - record: called for each record.
  /// - Returns: what stays the same in every form of it.
  /// - Throws: what is wrong with it.
  func get(
    _ segment: SegmentInfo, _ image: inout SegmentImage, record: (borrowing RecordView) -> Void
  ) throws(JournalError) -> SegmentOutline

  /// Keeps a sealed segment in its packed form, which is read back first, in the place of the plain one.
  ///
  /// - Parameters:
  ///   - outline: what the packed form must have too.
  ///   - step: called before each change.
  /// - Throws: `damaged` if what was read back is something else: then nothing has changed.
  func put(
    _ packed: UnsafeRawBufferPointer, of segment: SegmentInfo, _ outline: SegmentOutline, _ step: SegmentStep.Handler
  ) throws(JournalError)

  /// Puts other bytes in the place of a segment's, in the form that it has, once they were read back; also in the place of
  /// whatever else tells what they said.
  ///
  /// - Parameters:
  ///   - outline: what must not have changed.
  ///   - isWanted: false for a record that must not be there.
  /// - Throws: as `put`.
  func replace(
    _ segment: SegmentInfo, by bytes: UnsafeRawBufferPointer, _ outline: SegmentOutline, _ step: SegmentStep.Handler,
    isWanted: (borrowing RecordView) -> Bool
  ) throws(JournalError)

  /// Moves a sealed segment to where old ones are kept.
  func archive(_ segment: SegmentInfo, _ step: SegmentStep.Handler) throws(JournalError)

  /// Lets a sealed segment go for ever; it is gone when this returns, so that the oldest can go first.
  func remove(_ segment: SegmentInfo, _ step: SegmentStep.Handler) throws(JournalError)

  /// Removes what recovery cut off segments, which may hold anything.
  ///
  /// - Returns: how many pieces there were.
  func removeCutFiles(_ step: SegmentStep.Handler) throws(JournalError) -> Int
}
