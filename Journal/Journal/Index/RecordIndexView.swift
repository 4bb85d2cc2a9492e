public import JournalFormat
internal import Synchronization
internal import SystemPackage

extension RecordIndex {
  /// What the index says now, from the first record that there is on; nil if it says nothing.
  ///
  /// - Parameter position: it says nothing of records behind this one.
  /// - Throws: `JournalError`, if the journal cannot be read.
  public func look(upTo position: UInt64 = .max) throws(JournalError) -> RecordIndexView? {
    do {
      guard let key = try storedKey() else { return nil }
      let numbers = try journal.numbers()
      let doubtful = state.withLock { $0.doubtful }
      var files: [RecordIndexFile] = []
      for (number, next) in zip(numbers, numbers.dropFirst().map { Optional($0) } + [nil]) {
        guard !doubtful.contains(number),
          var file = try RecordIndexFile(journal.indexFile(number), on: storage, key: key),
          !file.parts.isEmpty, files.last.map({ $0.endPosition == file.header.firstPosition }) ?? true
        else { break }
        guard try fits(file, number: number, next: next) else {
          distrust(number)
          break
        }
        file.end(at: position)
        guard !file.parts.isEmpty else { break }
        files.append(file)
        if !file.isFinal { break }
      }
      return try RecordIndexView(files, key, journal)
    } catch let error as StorageError {
      throw .storage(error)
    } catch let error as JournalError {
      throw error
    } catch {
      preconditionFailure("an index is read from files of the journal: \(error)")
    }
  }
}

/// What a record index says at a moment: which records have a term, among those that it knows.
public struct RecordIndexView: Sendable {
  public let key: RecordIndexKey
  /// It knows all records up to this one.
  public let coveredTo: UInt64
  /// Before starts of the server that left a trace, in order; none of packed segments.
  public let silences: [StartDetector.Silence]
  /// What is known of starts from what it knows; for those who read on behind it.
  public let starts: StartDetector
  let files: [RecordIndexFile]
  let journal: JournalDirectory

  /// - Returns: nil if there are no files.
  init?(_ files: [RecordIndexFile], _ key: RecordIndexKey, _ journal: JournalDirectory) throws(JournalError) {
    guard let last = files.last, let part = last.parts.last?.part, last.endPosition > 1 else { return nil }
    (self.files, self.key, self.journal) = (files, key, journal)
    coveredTo = last.endPosition - 1
    // Of half a packed segment nothing can be known.
    let form = try journal.header(of: last.header.segmentNumber).place.form
    starts = last.isFinal || form == .plain ? part.starts : StartDetector()
    var silences: [StartDetector.Silence] = []
    for file in files {
      let found = file.parts.flatMap(\.part.silences)
      // As whoever reads the segment itself would find it.
      if !found.isEmpty, try journal.header(of: file.header.segmentNumber).place.form == .plain { silences += found }
    }
    self.silences = silences
  }

  /// The positions of the records that have one of the terms, in order.
  ///
  /// - Parameter maximum: no more than so many are wanted.
  /// - Throws: `RecordIndexError`, `StorageError`.
  public func positions(of terms: [UInt64], maximum: Int = .max) throws -> [UInt64] {
    var found: Set<UInt64> = []
    // In their order the blocks are read from front to back.
    let terms = Set(terms).sorted()
    for file in files {
      do {
        try file.find(terms, on: journal.storage, &found)
      } catch let error as StorageError where error.errno == .noSuchFileOrDirectory {
        throw RecordIndexError.doubtful(file.header.segmentNumber)
      }
      guard found.count <= maximum else { throw RecordIndexError.tooMany }
    }
    return found.sorted()
  }

  /// Hands on the records at `positions`, until `record` has had enough; reads no more of the segments than it must.
  ///
  /// - Parameter positions: in order, all of them known to the index.
  /// - Throws: `RecordIndexError`, `JournalError`, `StorageError`, or what `record` throws.
  public func read(
    at positions: ArraySlice<UInt64>, record: (borrowing RecordView) throws -> Bool
  ) throws {
    var reader = StretchReader(journal: journal)
    var rest = positions
    for file in files {
      guard let first = rest.first else { return }
      guard first < file.endPosition else { continue }
      let end = rest.firstIndex { $0 >= file.endPosition } ?? rest.endIndex
      guard try reader.read(rest[rest.startIndex..<end], of: file, record) else { return }
      rest = rest[end...]
    }
  }
}
