import EntityRuntime
import EventSourcing
import SupportDomain

// What a redaction does to support: people first, then their requests. Each step may have been done already.
extension Engine {
  /// Nobody gets in by their tokens any more: what they make is complete from here on.
  func eraseSupportUsers(_ scope: RedactionScope) async throws {
    for key in scope.supportUsers.sorted() {
      _ = try await support.users[key]?.perform(.erase) { _ in true }
      if let number = Int64(key) { await comet.dismiss(userKey: ReservedUserKey.of(number)) }
    }
  }

  /// Also what came since the journal was searched.
  func addSupportRequests(to scope: inout RedactionScope) async {
    var keys = scope.supportRequests
    for user in scope.supportUsers.compactMap({ Int64($0) }) {
      var query = SupportQuery()
      query.requester = user
      keys.formUnion(support.index.requests(query).map(String.init))
    }
    for key in keys { scope.add(request: key, files: await support.requests.peek(key) { $0.files } ?? []) }
  }

  /// They notify nobody any more.
  func eraseSupportRequests(_ scope: RedactionScope) async throws {
    for key in scope.supportRequests.sorted() { _ = try await support.requests[key]?.perform(.erase) { _ in true } }
    feed.forget(Set(scope.supportRequests.map { SupportService.prefix + $0 }))
  }

  /// With the files gone, nothing names them any more. Also if nothing was left to erase: records of theirs are about to
  /// go, and replay must not miss the numbers that were given out.
  func restateSupport(_ scope: RedactionScope) async throws {
    for key in scope.supportRequests.sorted() {
      guard let request = support.requests[key] else { continue }
      _ = try await request.perform(.filesDropped) { _ in true }
      _ = try await request.perform(.restate) { _ in true }
    }
    for key in scope.supportUsers.sorted() { _ = try await support.users[key]?.perform(.restate) { _ in true } }
  }
}
