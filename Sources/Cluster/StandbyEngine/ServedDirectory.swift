package import Journal
package import JournalFormat
package import StandbyWire
package import SystemPackage

/// What of a data directory standbys and backups copy, and where it lies. Its calls block.
package struct ServedDirectory: Sendable {
  private let data: FilePath
  private let archive: FilePath
  private let disk = DiskStorage()

  /// - Parameter archive: of the journal; `archive` below its directory if nil.
  package init(data: FilePath, archive: FilePath?) {
    self.data = data
    self.archive = archive ?? data.appending("journal").appending("archive")
  }

  /// Where the file of a path lies, if it is there.
  func path(of place: StandbyPath) -> FilePath {
    if case .segment(_, _, isArchived: true) = place {
      return archive.appending(FilePath(place.text).lastComponent?.string ?? "")
    }
    return place.text.split(separator: "/").reduce(data) { $0.appending(String($1)) }
  }

  /// The place of a file that lies below the data directory; nil if it is none that is copied.
  func place(of path: FilePath) -> StandbyPath? {
    let prefix = data.string + "/"
    guard path.string.hasPrefix(prefix) else { return nil }
    return StandbyPath(String(path.string.dropFirst(prefix.count)))
  }

  /// - Throws: as `ServedFile`.
  func open(_ place: StandbyPath) throws(StorageError) -> ServedFile { try ServedFile(path(of: place)) }

  /// Nil if it is not there (any more).
  package func openIfThere(_ place: StandbyPath) throws(StorageError) -> ServedFile? {
    do {
      return try open(place)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }

  // MARK: What is there

  /// Every file of a segment, by number; of one number first the one that is read.
  func segments() throws(StorageError) -> [StandbyPath] {
    let live = try places("journal", in: data.appending("journal"))
    let archived = try places("journal/archive", in: archive)
    return (live + archived).filter { $0.segment != nil }.sorted { Self.rank($0) < Self.rank($1) }
  }

  /// Of one number the file that is read, by path.
  package func segmentsRead() throws(StorageError) -> [StandbyPath] {
    var read: [StandbyPath] = []
    for place in try segments() where read.last?.segment != place.segment { read.append(place) }
    return read.sorted { $0.text < $1.text }
  }

  /// The oldest segment that is kept.
  func identity() throws -> JournalIdentity? {
    guard let oldest = try segments().first, let number = oldest.segment else { return nil }
    return JournalIdentity(oldestSegment: number, oldestID: try id(of: try open(oldest), oldest))
  }

  /// Files that are neither segments nor blobs, by path.
  package func smallFiles() throws(StorageError) -> [StandbyPath] {
    var places: [StandbyPath] = [.tokens]
    places += try self.places("checkpoints", in: data.appending("checkpoints"))
    places += try self.places("journal", in: data.appending("journal")).filter { $0.segment == nil }
    places += try self.places("journal/snapshots", in: data.appending("journal").appending("snapshots"))
    places += try self.places("provider-tokens", in: data.appending("provider-tokens"))
    return places.sorted { $0.text < $1.text }
  }

  /// Blobs behind a path, by path, and at least `count` of them if there are so many.
  package func blobs(after path: String, count: Int) throws(StorageError) -> [StandbyPath] {
    let directory = data.appending("blobs")
    var found: [StandbyPath] = []
    for group in try names(in: directory).sorted() where "blobs/\(group)/g" > path {
      guard found.count < count else { break }
      found += try places("blobs/\(group)", in: directory.appending(group)).filter { $0.text > path }
        .sorted { $0.text < $1.text }
    }
    return found
  }

  /// The id in the header of a segment's file.
  /// - Throws: `FormatError`, `StorageError`.
  package func id(of file: ServedFile, _ place: StandbyPath) throws -> SegmentID { try header(of: file, place).id }

  private func header(of file: ServedFile, _ place: StandbyPath) throws -> SegmentHeader {
    let page = try file.read(at: 0, count: FormatLimits.segmentHeaderByteCount)
    return try page.withUnsafeBytes { bytes in
      if case .segment(_, isPacked: true, _) = place { return try PackedHeader.decode(bytes).header.segment }
      return try SegmentHeader.decode(bytes).header
    }
  }

  /// The position of the first record in a segment's file, by its header.
  /// - Throws: `FormatError`, `StorageError`.
  package func firstPosition(of file: ServedFile, _ place: StandbyPath) throws -> UInt64 {
    try header(of: file, place).firstPosition
  }

  private func places(_ folder: String, in directory: FilePath) throws(StorageError) -> [StandbyPath] {
    try names(in: directory).compactMap { StandbyPath("\(folder)/\($0)") }
  }

  /// None if the directory was never made.
  private func names(in directory: FilePath) throws(StorageError) -> [String] {
    do {
      return try disk.list(directory)
    } catch {
      guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else { throw error }
      return []
    }
  }

  /// As the journal looks for segments (`FORMAT.md`, "Archive").
  private static func rank(_ place: StandbyPath) -> (UInt64, Int) {
    guard case .segment(let number, let isPacked, let isArchived) = place else { return (0, 0) }
    return (number, (isArchived ? 2 : 0) + (isPacked ? 1 : 0))
  }
}

extension StandbyPath {
  /// The number of the segment whose file it is.
  package var segment: UInt64? {
    if case .segment(let number, _, _) = self { number } else { nil }
  }
}
