internal import JournalFormat
internal import SystemPackage

/// Reads single records of a segment: of a plain one from the restart point before them, of a packed one the block that
/// they are in.
struct StretchReader: ~Copyable {
  private let journal: JournalDirectory
  private var image = SegmentImage()
  private var decoder = FrameDecoder()

  init(journal: JournalDirectory) { self.journal = journal }

  /// - Parameter positions: in order, of records of the segment that `index` is of.
  /// - Returns: false if `record` wants no more.
  mutating func read(
    _ positions: ArraySlice<UInt64>, of index: RecordIndexFile, _ record: (borrowing RecordView) throws -> Bool
  ) throws -> Bool {
    let (place, file) = try open(index.header.segmentNumber)
    defer { file.close() }
    do {
      switch place.form {
      case .plain: return try readPlain(positions, index, file, record)
      case .packed: return try readPacked(positions, index, file, record)
      }
    } catch is FormatError {
      // Whoever reads the segment itself says what is wrong.
      throw RecordIndexError.doubtful(index.header.segmentNumber)
    }
  }

  private func open(_ number: UInt64) throws -> (place: SegmentPlace, file: any StorageFile) {
    do {
      return try journal.open(number)
    } catch .missingSegment {
      // Retention has just deleted it.
      throw RecordIndexError.gone
    }
  }

  private mutating func readPlain(
    _ positions: ArraySlice<UInt64>, _ index: RecordIndexFile, _ file: any StorageFile,
    _ record: (borrowing RecordView) throws -> Bool
  ) throws -> Bool {
    try image.begin(file, limit: FormatLimits.segmentReadByteCountMaximum)
    guard try image.read(0..<FormatLimits.segmentHeaderByteCount), let last = index.parts.last?.part else {
      throw FormatError.headerIncomplete
    }
    var scanner = try SegmentScanner(image.bytes)
    guard scanner.header.id == index.header.segmentID else { throw FormatError.headerDamaged }
    let points = index.restartPoints
    decoder.beginSegment()
    var rest = positions
    while let first = rest.first {
      let next = points.firstIndex { $0.position > first } ?? points.endIndex
      guard next > 0 else { throw FormatError.restartPointMissing }
      let end = next < points.endIndex ? points[next].offset : last.endOffset
      let endPosition = next < points.endIndex ? points[next].position : last.endPosition
      let point = points[next - 1]
      guard point.offset < end, try image.read(point.offset..<end) else { throw FormatError.frameDamaged }
      scanner.jump(to: point.offset, position: point.position)
      let stretchEnd = rest.firstIndex { $0 >= endPosition } ?? rest.endIndex
      guard try read(&rest, until: stretchEnd, &scanner, record) else { return false }
    }
    return true
  }

  private mutating func readPacked(
    _ positions: ArraySlice<UInt64>, _ index: RecordIndexFile, _ file: any StorageFile,
    _ record: (borrowing RecordView) throws -> Bool
  ) throws -> Bool {
    var blocks = try PackedBlocks(file)
    guard blocks.header.segment.id == index.header.segmentID else { throw FormatError.headerDamaged }
    var rest = positions
    while let first = rest.first {
      guard let (found, endPosition) = try blocks.next(with: first, into: &image) else {
        throw FormatError.blockDamaged
      }
      var scanner = found
      decoder.beginSegment()
      let end = rest.firstIndex { $0 >= endPosition } ?? rest.endIndex
      guard try read(&rest, until: end, &scanner, record) else { return false }
    }
    return true
  }

  /// Reads frame after frame until the positions before `end` were handed on.
  private mutating func read(
    _ rest: inout ArraySlice<UInt64>, until end: Int, _ scanner: inout SegmentScanner,
    _ record: (borrowing RecordView) throws -> Bool
  ) throws -> Bool {
    var wantsMore = true
    while rest.startIndex < end {
      guard let frame = try scanner.next() else { throw FormatError.frameDamaged }
      let before = rest.startIndex
      var place = before
      try decoder.forEachRecord(of: frame, in: image.bytes) { found in
        guard wantsMore, place < end, rest[place] == found.position else { return }
        place += 1
        wantsMore = try record(found)
      }
      rest = rest[place...]
      guard wantsMore else { return false }
      // All of them are there, and in order: a frame behind one that is wanted is none in which it could be.
      guard place == end || rest[place] >= frame.header.endPosition else { throw FormatError.frameDamaged }
    }
    return true
  }
}
