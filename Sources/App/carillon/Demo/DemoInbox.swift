import Synchronization

/// What has arrived somewhere, in order, for whoever waits for it.
final class DemoInbox<Element: Sendable>: Sendable {
  private let items = Mutex<[Element]>([])

  var all: [Element] { items.withLock { $0 } }

  func put(_ element: Element) { items.withLock { $0.append(element) } }

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
