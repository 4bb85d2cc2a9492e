package import EngineKit
import EntityRuntime
import EventSourcing
import Journal
import Synchronization

extension JournalAudit {
  /// A page of a timeline. May hold nothing and still have a next one: then the journal is longer than one look.
  /// - Parameters:
  ///   - after: the record behind which it begins; 0 for the first.
  ///   - limit: entries at most; those of one record stay together.
  /// - Throws: `JournalAuditError`; `nothingFound` once it is sure that nothing is the customer's.
  package func timeline(
    _ question: TimelineQuestion, _ filter: TimelineFilter, after: UInt64, limit: Int
  ) async throws -> TimelinePage {
    let head = try head()
    let key = TimelineSearches.Key(question: question, filter: filter)
    let (kept, age) = searches.take(key)
    let begun = kept ?? TimelineSearch(question, filter, in: catalogue, number: searches.number())
    let page: TimelinePage
    let search: TimelineSearch
    do {
      (page, search) = try await next(of: begun, after: after, limit: limit, head: head)
    } catch {
      // Who asks again goes on where this one was.
      if kept != nil { searches.keep(begun, key, age: age, now: partition.context.time.monotonicMilliseconds) }
      throw error
    }
    guard page.next != nil || !search.hasFoundNothing else { throw JournalAuditError.nothingFound }
    searches.keep(search, key, age: age, now: partition.context.time.monotonicMilliseconds)
    return page
  }

  /// Reads on for a page.
  /// - Throws: `busy` also if as many are collecting as may.
  private func next(
    of begun: TimelineSearch, after: UInt64, limit: Int, head: UInt64
  ) async throws -> (TimelinePage, TimelineSearch) {
    if begun.isCollecting {
      let now = partition.context.time.monotonicMilliseconds
      guard searches.collects(begun.number, now: now) else { throw JournalAuditError.busy }
    }
    let (reader, index) = (partition.reader, partition.recordIndex)
    let milliseconds = limits.journalReadMillisecondsMaximum
    let (page, search) = try await reading {
      var search = begun
      let page = try search.page(
        after: after, limit: limit, head: head, reader, milliseconds: milliseconds, index: index)
      return (page, search)
    }
    if begun.isCollecting, !search.isCollecting { searches.hasCollected(begun.number) }
    return (page, search)
  }

  /// Follows a timeline, until `told` has had enough or the surrounding task is cancelled or the server stops.
  /// - Parameters:
  ///   - after: the record behind which it begins; nil for what comes from now on.
  ///   - told: gets what is new, mostly nothing; returns false if it wants no more.
  /// - Throws: `JournalAuditError`, or what `told` throws.
  package func follow(
    _ question: TimelineQuestion, _ filter: TimelineFilter, after: UInt64?,
    _ told: ([TimelineEntry]) async throws -> Bool
  ) async throws {
    var cursor = try after ?? head()
    var search = TimelineSearch(question, filter, in: catalogue, number: searches.number())
    defer { searches.hasCollected(search.number) }
    var age = searches.age
    while partition.node.isReady, !Task.isCancelled {
      let start = ContinuousClock.now
      if searches.age != age {
        age = searches.age
        search = TimelineSearch(question, filter, in: catalogue, number: search.number)
      }
      let (from, head) = (cursor, try head())
      var page = TimelinePage(next: nil, searchedTo: from, head: head)
      if head > from {
        do {
          (page, search) = try await next(of: search, after: from, limit: Self.entriesAtOnce, head: head)
        } catch JournalAuditError.busy {}
      }
      guard try await told(page.entries) else { return }
      cursor = max(from, page.next ?? page.searchedTo)
      if page.next != nil, page.next != from { continue }
      // However much there is to read, nine tenths of the time are somebody else's.
      let pause = max(.milliseconds(limits.timelinePauseMilliseconds), (ContinuousClock.now - start) * 9)
      try await Task.sleep(for: page.next == nil ? pause : .milliseconds(1))
    }
  }

  /// A place among those who follow, for as long as it is held; nil if all are taken.
  package func placeToFollow() -> FollowersPlace? {
    guard followers.add(1, ordering: .relaxed).newValue <= limits.timelineFollowersMaximum else {
      followers.subtract(1, ordering: .relaxed)
      return nil
    }
    return FollowersPlace(self)
  }

  private static let entriesAtOnce = 1_000
}

/// Gives itself back once nobody holds it: also that of a response whose body nobody wanted.
package final class FollowersPlace: Sendable {
  private let audit: JournalAudit

  fileprivate init(_ audit: JournalAudit) { self.audit = audit }

  deinit { audit.followers.subtract(1, ordering: .relaxed) }
}
