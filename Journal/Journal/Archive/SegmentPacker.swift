internal import JournalFormat
public import SystemPackage

/// Packs sealed segments into larger blocks, beside a live writer and readers (`FORMAT.md`, "Packed segment").
public struct SegmentPacker: Sendable {
  private let vault: any SegmentVault

  package init(_ vault: any SegmentVault) { self.vault = vault }

  /// - Parameter archive: `archive` below `directory` if nil; segments there are packed where they lie.
  public init(directory: FilePath, archive: FilePath? = nil, storage: any JournalStorage = DiskStorage()) {
    self.init(SegmentFiles(directory: JournalDirectory(path: directory, archive: archive, storage: storage)))
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
    try vault.maintain { () throws(JournalError) in
      let segments = try vault.list()
      var report = PackingReport()
      do throws(JournalError) {
        // The last one is being written.
        for segment in segments.dropLast() where !segment.isPacked {
          guard report.segments.count < countMaximum,
            try vault.header(of: segment.number + 1).firstPosition - 1 <= position
          else { break }
          guard let packed = try pack(segment, step) else { continue }
          report.segments.append(segment.number)
          report.byteCountBefore += segment.byteCount
          report.byteCountAfter += packed
        }
      } catch {
        report.failure = error
      }
      return report
    }
  }

  /// - Returns: bytes of the packed file; nil if the segment is not worth it.
  private func pack(_ segment: SegmentInfo, _ step: SegmentStep.Handler) throws(JournalError) -> Int? {
    var image = SegmentImage()
    let outline = try vault.get(segment, &image) { _ in }
    guard outline.isSealed else { throw .damaged(file: segment.file, offset: 0, reason: .frameDamaged) }
    let packed: PackedSegmentEncoder
    do throws(FormatError) {
      packed = try PackedSegmentEncoder.pack(image.bytes)
    } catch {
      throw JournalError(error, file: segment.file, offset: 0)
    }
    // Whoever reads it has all of it in memory.
    guard packed.expandedByteCount <= FormatLimits.segmentByteCountMaximum, packed.bytes.count < segment.byteCount
    else {
      return nil
    }
    try vault.put(packed.bytes, of: segment, outline, step)
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
