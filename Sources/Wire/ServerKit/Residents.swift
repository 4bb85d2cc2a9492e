package import NIOCore

/// The connections of all event loops.
package struct Residents: Sendable {
  private let byLoop: [ObjectIdentifier: LoopResidents]

  package init(group: any EventLoopGroup) {
    var byLoop: [ObjectIdentifier: LoopResidents] = [:]
    for loop in group.makeIterator() { byLoop[ObjectIdentifier(loop)] = LoopResidents(eventLoop: loop) }
    self.byLoop = byLoop
  }

  /// Nil for a loop of another group.
  package subscript(loop: any EventLoop) -> LoopResidents? { byLoop[ObjectIdentifier(loop)] }

  func start() { for residents in byLoop.values { residents.start() } }
  func stopAll() { for residents in byLoop.values { residents.stopAll() } }
  func cutAll() { for residents in byLoop.values { residents.cutAll() } }
  func end() { for residents in byLoop.values { residents.end() } }
}
