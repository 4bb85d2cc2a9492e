import SupportDomain

/// An end user of support requests: one app on one or two phones.
///
/// Safe to share: the whole simulation is one thread.
final class SupportPerson: @unchecked Sendable {
  let number: Int
  let app: String
  /// The app's back end says who it is; else the SDK's own UUID does.
  let isVerified: Bool
  var name: String?
  var token: String?
  /// Its number, and how often all its tokens had ended when it got this one.
  var user: Int64?
  var generation = 0
  /// Ids of the back end's tokens that it has shown.
  var shownIDs: [String] = []
  /// One sign-in at a time: of two under way nobody knows which token is the later one.
  var isAsking = false
  let stream: SupportStream

  init(world: World, number: Int, app: String, isVerified: Bool) {
    self.number = number
    self.app = app
    self.isVerified = isVerified
    stream = SupportStream(world: world)
    stream.person = self
  }

  var description: String { "person \(number)" }
  /// Of its own, for an SDK without a person behind it.
  var guid: String { "guid-\(number)" }
  var externalID: String { "ext-\(number)" }

  func signedIn(_ token: String, as user: Int64, generation: Int) {
    if self.user != user || self.generation != generation { stream.forget() }
    (self.token, self.user, self.generation) = (token, user, generation)
  }

  func serverDied() {
    isAsking = false
    stream.serverDied()
  }

  func signedOut() {
    stream.forget()
    token = nil
  }
}
