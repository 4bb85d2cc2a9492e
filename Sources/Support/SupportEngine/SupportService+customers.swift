import EngineKit
import SupportDomain

extension SupportService {
  /// The requests of whom an app calls so, by its word or in a chat, as far as the asker sees them; the newest first.
  public func requests(
    ofCustomer userKey: String, limit: Int, for actor: SupportActor
  ) async throws(SupportFailure) -> [SupportRequestView] {
    var found: [SupportRequestView] = []
    for key in [SupportIdentity.Key.verified(userKey), .contact(userKey)] {
      guard let requester = index.number(of: key) else { continue }
      var query = SupportQuery()
      query.requester = requester
      found += try await requests(query, after: nil, limit: limit, for: actor).elements
    }
    return Array(found.sorted { $0.number > $1.number }.prefix(limit))
  }
}
