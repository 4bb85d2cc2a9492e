internal import Journal
internal import StandbyWire
internal import Synchronization
internal import SystemPackage

extension FollowerDisk {
  private func path(_ place: StandbyPath) -> FilePath {
    let isCopied = place.isOfJournal && state.withLock { $0.copyVersions != nil }
    // The paths are a closed list, none of which leaves the directory.
    let relative = FilePath(isCopied ? "journal/copy/" + place.text.dropFirst("journal/".count) : place.text)
    return data.pushing(relative)
  }

  func has(_ file: StandbyFile) -> Bool {
    state.withLock { state in
      guard file.place.isOfJournal, let versions = state.copyVersions else { return state.files.has(file) }
      return versions[file.path] == file.version
    }
  }

  /// Begins to copy a file.
  func begin(_ file: StandbyFile) async throws(JournalError) -> FileCopy {
    let path = path(file.place)
    return try await run(on: keeping) { [self] () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in
        try FileCopy(path, byteCount: file.byteCount, storage: storage) { path throws(StorageError) in
          if file.place.isSecret { try protect(path) }
        }
      }
    }
  }

  func append(_ bytes: [UInt8], to copy: FileCopy) async throws(JournalError) {
    try await run(on: keeping) { () throws(JournalError) in
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(JournalError) in try Self.attempt { () throws(StorageError) in try copy.append(bytes) } }
      }
      try result.get()
    }
  }

  /// All of a file has come: it is synced, and stays under its name for the time being.
  func synchronize(_ copy: FileCopy) async throws(JournalError) {
    try await run(on: keeping) { () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in try copy.synchronize() }
    }
  }

  func discard(_ copy: FileCopy) async throws(JournalError) {
    try await run(on: keeping) { () throws(JournalError) in
      try Self.attempt { () throws(StorageError) in try copy.discard() }
    }
  }

  /// Gives a file that was synced its place.
  func install(_ copy: FileCopy, _ file: StandbyFile) async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in
      // An erasure reaches what was set aside, of which its primary knows nothing.
      if file.place == .redactionIntent {
        _ = try SegmentRedaction(directory: journal, storage: storage).removeCutFiles()
      }
      try Self.attempt { () throws(StorageError) in try copy.install() }
      try note(file)
    }
  }

  /// Gives a segment its place, if it is the one that belongs there.
  ///
  /// - Parameter end: where the copy ends, if this segment continues it.
  func install(
    _ copy: FileCopy, _ segment: StandbyManifest.Segment, after end: CopyEnd?
  ) async throws(JournalError) -> CopyEnd {
    try await run(on: keeping) { [self] () throws(JournalError) in
      let directory = state.withLock { $0.copyVersions != nil } ? journal.appending("copy") : journal
      let end = try SegmentInstallation(directory: directory, storage: storage).install(
        copy, number: segment.number, id: segment.id, after: end)
      try note(segment.file)
      return end
    }
  }

  /// The journal grows behind segments that were installed.
  func reopen() async throws(JournalError) -> CopyEnd? {
    try await run(on: growing) { [self] () throws(JournalError) in
      let isCopying = state.withLock { $0.copyVersions != nil }
      return try open(isCopying ? journal.appending("copy") : journal).end
    }
  }

  /// Removes files that the primary has not got any more, unless they have come again since, and segments that it does
  /// not keep.
  func remove(_ gone: [GoneFile], and manifest: StandbyManifest) async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in
      for file in gone where state.withLock({ $0.files.versions[file.place.text] == file.version }) {
        let path = path(file.place)
        try Self.attempt { () throws(StorageError) in
          try storage.remove(path)
          try storage.synchronizeDirectory(path.removingLastComponent())
        }
        state.withLock { $0.files.versions[file.place.text] = nil }
      }
      if let oldest = manifest.segments.map(\.number).min() {
        try SegmentInstallation(directory: journal, storage: storage).remove(before: oldest)
      }
      state.withLock { $0.files.forgetSegments(notIn: manifest) }
      try save()
    }
  }

  /// A sealed segment has come over the stream, all of it: it is not to be fetched.
  func hasCome(_ file: StandbyFile) async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in try note(file) }
  }

  /// Writes down which versions there are.
  func saveVersions() async throws(JournalError) {
    try await run(on: keeping) { [self] () throws(JournalError) in try save() }
  }

  private func note(_ file: StandbyFile) throws(JournalError) {
    let isDue = state.withLock { state in
      if file.place.isOfJournal, state.copyVersions != nil {
        state.copyVersions?[file.path] = file.version
        return false
      }
      state.files.versions[file.path] = file.version
      state.unsavedCount += 1
      // Written as a whole each time: rarer the more there are.
      return state.unsavedCount > 64 + state.files.versions.count / 8
    }
    if isDue { try save() }
  }

  func save() throws(JournalError) {
    let document = state.withLock { state in
      state.unsavedCount = 0
      return state.files.document
    }
    try replace(FollowedFiles.fileName, document)
  }
}
