internal import Journal
internal import StandbyWire

/// Fetches files of the primary to their places.
struct FollowerFetch: Sendable {
  let primary: any Primary
  let disk: FollowerDisk

  enum Failure: Error {
    case primary(PrimaryFailure)
    case disk(JournalError)

    var input: FollowerPlan.Input {
      switch self {
      case .primary(let failure): failure.input
      // A segment that is not right is the primary's matter, or the cable's: nothing of it was taken.
      case .disk(let error): error.isOfBytes ? .damaged("\(error)") : .failed(error)
      }
    }

    var words: String {
      switch self {
      case .primary(let failure): failure.words
      case .disk(let error): "\(error)"
      }
    }
  }

  /// The whole manifest.
  func manifest() async throws(Failure) -> StandbyManifest {
    do throws(PrimaryFailure) { return try await primary.manifest(disk.caller) } catch { throw .primary(error) }
  }

  /// Fetches those that are not there in that version, one after the other.
  ///
  /// While a stream is followed, snapshots and sealed segments are the keeper's, and all else is its reader's: no file is
  /// copied by two at a time.
  func install(_ files: [StandbyFile]) async throws(Failure) {
    for file in files where !disk.has(file) {
      let copy = try await copy(file)
      try await attempt { () async throws(JournalError) in try await disk.install(copy, file) }
    }
  }

  /// Fetches a segment, which then has its place.
  ///
  /// - Parameter end: where the copy ends, if this segment continues it.
  @discardableResult
  func install(_ segment: StandbyManifest.Segment, after end: CopyEnd?) async throws(Failure) -> CopyEnd {
    let copy = try await copy(segment.file)
    return try await attempt { () async throws(JournalError) in
      try await disk.install(copy, segment, after: end)
    }
  }

  /// All of a file, synced and not installed.
  private func copy(_ file: StandbyFile) async throws(Failure) -> FileCopy {
    let disk = self.disk
    let copy = try await attempt { () async throws(JournalError) in try await disk.begin(file) }
    do throws(PrimaryFailure) {
      try await primary.file(file, disk.caller) { bytes throws(PrimaryFailure) in
        guard bytes.count <= copy.missingByteCount else { throw .wire(.tooLong) }
        do throws(JournalError) { try await disk.append(bytes, to: copy) } catch { throw .taker(error) }
      }
      guard copy.missingByteCount == 0 else { throw .unreachable("a file was broken off") }
    } catch {
      _ = try? await disk.discard(copy)
      if case .taker(let error) = error { throw .disk(error) }
      throw .primary(error)
    }
    try await attempt { () async throws(JournalError) in try await disk.synchronize(copy) }
    return copy
  }

  private func attempt<Value: Sendable>(
    _ body: () async throws(JournalError) -> Value
  ) async throws(Failure) -> Value {
    do throws(JournalError) { return try await body() } catch { throw .disk(error) }
  }
}

extension JournalError {
  /// What is wrong with bytes that came, and not with the directory or its disk.
  var isOfBytes: Bool {
    switch self {
    case .damaged, .halfCopied, .cutShort, .foreignFile, .brokenSequence, .historyChanged, .epochFell, .missingSegment:
      true
    case .keyTooLong, .tooLarge, .overloaded, .storageFull, .failed, .closed, .configuration, .locked, .newerVersion,
      .relieved, .followsAnother, .epochDamaged, .foreignStartingPoint, .startingPointBeyondEnd, .segmentInUse,
      .redactionIntentDamaged, .notRestored, .storage:
      false
    }
  }
}
