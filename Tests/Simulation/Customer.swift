/// A customer: one app, its chats one after the other.
///
/// Safe to share: the whole simulation is one thread.
final class Customer: @unchecked Sendable {
  let number: Int
  let userKey: String
  /// Where pushes go; nil for an app that wants none.
  let deviceID: String?
  let comet: CometClient
  var books: [ChatBook] = []

  init(number: Int, deviceID: String?, world: World) {
    self.number = number
    self.deviceID = deviceID
    userKey = "user-\(number)"
    comet = CometClient(world: world, userKey: userKey)
    comet.position = { [unowned self] in statedPosition }
    comet.lostTwice = { [unowned self] in
      for book in books where book.notifiesByComet { book.mayMissSomething() }
    }
  }

  /// What its app says that it has: one position speaks for one chat.
  private var statedPosition: Int? {
    let books = books.filter { $0.notifiesByComet && $0.stage != .creating && $0.stage != .created }
    guard books.count == 1, let book = books.first, book.knowsStart else { return nil }
    return book.has
  }
}

/// What a customer knows of one chat.
///
/// Safe to share: the whole simulation is one thread.
final class ChatBook: @unchecked Sendable {
  enum Stage { case creating, created, starting, started, over }

  unowned let world: World
  let number: Int
  let serviceName: String
  let notifiesByComet: Bool
  var serviceID: String?
  var stage = Stage.creating
  /// Everything up to here has come, by whatever way.
  private(set) var has = 0
  /// The reply to the start has come, or what stands for it: from then on nothing may be missing.
  private(set) var knowsStart = false

  init(world: World, number: Int, serviceName: String, notifiesByComet: Bool) {
    self.world = world
    self.number = number
    self.serviceName = serviceName
    self.notifiesByComet = notifiesByComet
  }

  func learns(start position: Int) {
    knowsStart = true
    has = max(has, position)
  }

  /// From now on nothing is asked of it.
  func mayMissSomething() { knowsStart = false }

  func receives(_ news: ChatNews, by client: CometClient) {
    if knowsStart, news.first > has + 1, world.reference.chats[news.serviceID]?.isErased != true {
      world.violated(
        .inOrderWithoutGaps,
        "\(client.description) has \(has) of \(news.serviceID) and gets \(news.first)...\(news.last)")
    }
    has = max(has, news.last)
  }

  /// A REST reply brought everything after `position` up to `last`.
  func refreshed(after position: Int, upTo last: Int) {
    if position <= has { has = max(has, last) }
  }
}
