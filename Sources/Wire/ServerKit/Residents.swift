package import NIOCore

/// The connections of all event loops.
package struct Residents: Sendable {
  private let byLoop: [ObjectIdentifier: LoopResidents]
  /// Connections that outlive the stop.
  let outliving: OpenCount

  package init(group: any EventLoopGroup) {
    let outliving = OpenCount()
    var byLoop: [ObjectIdentifier: LoopResidents] = [:]
    for loop in group.makeIterator() {
      byLoop[ObjectIdentifier(loop)] = LoopResidents(eventLoop: loop, outliving: outliving)
    }
    self.byLoop = byLoop
    self.outliving = outliving
  }

  /// Nil for a loop of another group.
  package subscript(loop: any EventLoop) -> LoopResidents? { byLoop[ObjectIdentifier(loop)] }

  func start() { for residents in byLoop.values { residents.start() } }
  func stopAll(sparing: Bool) { for residents in byLoop.values { residents.stopAll(sparing: sparing) } }
  func cutAll(sparing: Bool) { for residents in byLoop.values { residents.cutAll(sparing: sparing) } }
  func end() { for residents in byLoop.values { residents.end() } }
}
