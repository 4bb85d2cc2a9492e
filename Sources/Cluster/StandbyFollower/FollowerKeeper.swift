internal import Journal
internal import StandbyWire

/// Keeps what lies beside the journal that grows as the primary has it: sealed segments that were packed, moved or
/// redacted there, snapshots, and what is not there any more. Beside the stream, which does not wait for it.
struct FollowerKeeper: Sendable {
  let fetch: FollowerFetch
  let disk: FollowerDisk
  /// Told what went wrong; the next manifest is another try.
  let note: @Sendable (String) async -> Void

  /// What the primary has, and what it has not any more.
  struct News: Sendable {
    let manifest: StandbyManifest
    /// What is here and not there.
    let gone: [FollowerDisk.GoneFile]
  }

  /// - Parameter news: each of a time up to which the journal here is on the disk.
  func keep(_ news: AsyncStream<News>) async {
    for await news in news {
      do throws(FollowerFetch.Failure) {
        try await keep(news)
      } catch {
        if !Task.isCancelled { await note(error.words) }
      }
    }
  }

  private func keep(_ news: News) async throws(FollowerFetch.Failure) {
    let manifest = news.manifest
    // Before anything that says that an erasure is done.
    for segment in manifest.segments where segment.isSealed && !disk.has(segment.file) {
      // What the stream has not finished yet is not there to be replaced.
      guard let end = disk.durableEnd, segment.number < end.segment || (segment.number == end.segment && end.isSealed)
      else { continue }
      try await fetch.install(segment, after: nil)
    }
    // All others were there before the bytes that name them.
    try await fetch.install(manifest.files.filter(\.place.isOfSnapshot))
    do throws(JournalError) { try await disk.remove(news.gone, and: manifest) } catch { throw .disk(error) }
  }
}
