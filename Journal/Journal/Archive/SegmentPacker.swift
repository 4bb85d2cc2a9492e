internal import JournalFormat
public import SystemPackage

/// Packs sealed segments into larger blocks, beside a live writer and readers (`FORMAT.md`, "Packed segment").
///
/// ```
///   .segment ──pack──> .packing ──sync, read back──> .packed ──sync──> .segment removed
/// ```
/// A crash leaves both files or one: each is whole, and the next run cleans up.
public struct SegmentPacker: Sendable {
  private let directory: JournalDirectory

  /// - Parameter archive: `archive` below `directory` if nil; segments there are packed where they lie.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.directory = JournalDirectory(path: directory, archive: archive, storage: storage)
  }

  /// Packs the sealed segments whose records all stand before `position` or at it, oldest first. Blocks.
  ///
  /// - Parameters:
  ///   - countMaximum: no more segments than that.
  ///   - step: called before each change.
  /// - Throws: `locked` if somebody else works on segments.
  public func pack(
    upTo position: UInt64 = .max, countMaximum: Int = .max, step: SegmentStep.Handler = { _ in }
  ) throws(JournalError) -> PackingReport {
    try directory.maintain { () throws(JournalError) in
      let files = try directory.sizes()
      var report = PackingReport()
      do throws(JournalError) {
        // The last one is being written.
        for (place, byteCount) in files where place.form == .plain && place.number != files.last?.place.number {
          guard report.segments.count < countMaximum,
            try directory.header(of: place.number + 1).header.firstPosition - 1 <= position
          else { break }
          guard let packed = try pack(place, byteCount: byteCount, step) else { continue }
          report.segments.append(place.number)
          report.byteCountBefore += byteCount
          report.byteCountAfter += packed
        }
      } catch {
        report.failure = error
      }
      return report
    }
  }

  /// - Returns: bytes of the packed file; nil if the segment is not worth it.
  private func pack(
    _ place: SegmentPlace, byteCount: Int, _ step: SegmentStep.Handler
  ) throws(JournalError) -> Int? {
    var image = SegmentImage()
    let outline = try directory.examine(place, &image)
    guard outline.isSealed else { throw .damaged(file: place.path, offset: 0, reason: .frameDamaged) }
    let packed: PackedSegmentEncoder
    do throws(FormatError) {
      packed = try PackedSegmentEncoder.pack(image.bytes)
    } catch {
      throw JournalError(error, file: place.path, offset: 0)
    }
    // Whoever reads it has all of it in memory.
    guard packed.expandedByteCount <= FormatLimits.segmentByteCountMaximum, packed.bytes.count < byteCount else {
      return nil
    }
    let target = SegmentPlace(place.number, .packed, in: place.directory, isArchived: place.isArchived)
    try directory.install(packed.bytes, as: target, suffix: ".packing", outline: outline, step)
    try directory.discard(place, step)
    return packed.bytes.count
  }
}

/// What packing did.
public struct PackingReport: Sendable, Equatable {
  /// Numbers of the segments that were packed, in order.
  public var segments: [UInt64] = []
  /// Bytes of their files before and after.
  public var byteCountBefore = 0
  public var byteCountAfter = 0
  /// What ended it before its time; everything is readable all the same, and the next run goes on.
  public var failure: JournalError?

  public init() {}
}
