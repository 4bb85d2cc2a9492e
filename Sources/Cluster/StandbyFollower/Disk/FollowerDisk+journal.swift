internal import Journal
internal import JournalFormat
internal import StandbyWire
internal import Synchronization
internal import SystemPackage

extension FollowerDisk {
  /// Makes ready for the stream: what was not whole is forgotten, after an error the journal is opened anew.
  func rewind() async throws(JournalError) -> CopyEnd? {
    try await run(on: growing) { [self] () throws(JournalError) in
      if let writer = state.withLock({ $0.writer }), (try? writer.rewind()) != nil { return writer.end }
      let isCopying = state.withLock { $0.copyVersions != nil }
      return try open(isCopying ? journal.appending("copy") : journal).end
    }
  }

  /// Writes pieces of the stream, and syncs them if it is said to.
  ///
  /// - Returns: the end of what is on the disk, if it was synced and there is a segment.
  func grow(
    _ pieces: [(place: StandbyPlace, bytes: [UInt8])], synchronizing: Bool
  ) async throws(CopyError) -> CopyEnd? {
    let result: Result<CopyEnd?, CopyError>
    do throws(JournalError) {
      result = try await run(on: growing) { [self] () throws(JournalError) in
        guard let writer = state.withLock({ $0.writer }) else { throw .closed }
        return Result { () throws(CopyError) in
          for piece in pieces {
            let taken = piece.bytes.withUnsafeBytes { bytes in
              Result { () throws(CopyError) in
                try writer.receive(bytes, segment: piece.place.segment, offset: piece.place.offset)
              }
            }
            try taken.get()
          }
          return synchronizing ? try writer.synchronize() : nil
        }
      }
    } catch {
      throw .journal(error)
    }
    return try result.get()
  }

  /// The end of what is on the disk.
  var durableEnd: CopyEnd? { state.withLock { $0.writer }?.durableEnd }

  /// - Parameter isFresh: what was copied before is thrown away.
  func beginCopy(isFresh: Bool) async throws(JournalError) {
    try await run(on: growing) { [self] () throws(JournalError) in
      let exchange = CopyExchange(directory: journal, storage: storage)
      guard isFresh || state.withLock({ $0.copyVersions == nil }) else { return }
      state.withLock { $0.writer }?.close()
      try Self.attempt { () throws(StorageError) in
        try exchange.discard()
        try storage.createDirectory(exchange.copy)
      }
      state.withLock { $0.copyVersions = [:] }
      _ = try open(exchange.copy)
    }
  }

  /// Puts the new copy, which is whole and synced, in the place of the old one.
  func exchange() async throws(JournalError) -> FollowedJournal {
    try await run(on: growing) { [self] () throws(JournalError) in
      let exchange = CopyExchange(directory: journal, storage: storage)
      state.withLock { $0.writer }?.close()
      try Self.attempt { () throws(StorageError) in
        try exchange.begin(at: clock())
        _ = try exchange.finish()
      }
      state.withLock { state in
        state.files.exchangeJournal(for: state.copyVersions ?? [:])
        state.copyVersions = nil
      }
      try save()
      return try open(journal)
    }
  }
}
