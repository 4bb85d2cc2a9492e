import Synchronization

/// What has arrived somewhere, in order, for whoever waits for it.
final class DemoInbox<Element: Sendable>: Sendable {
  private let items = Mutex<[Element]>([])
  private let maximum: Int

  /// - Parameter maximum: beyond it the oldest is forgotten; a story remembers all.
  init(keeping maximum: Int = .max) { self.maximum = maximum }

  var all: [Element] { items.withLock { $0 } }

  func put(_ element: Element) {
    items.withLock { items in
      items.append(element)
      if items.count > maximum { items.removeFirst() }
    }
  }

  /// The first of all arrivals, past or to come, that `isWanted`.
  /// - Throws: `DemoFailure` that names `what`, if there is none in time.
  func first(
    _ what: String, within timeout: Duration = DemoLimits.eventTimeout, where isWanted: (Element) -> Bool
  ) async throws -> Element {
    let deadline = ContinuousClock.now + timeout
    while true {
      if let element = all.first(where: isWanted) { return element }
      guard ContinuousClock.now < deadline else {
        throw DemoFailure("\(what): not within \(DemoScreen.seconds(timeout)); there came \(all.count) in all")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
