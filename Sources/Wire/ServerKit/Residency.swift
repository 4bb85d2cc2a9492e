/// A connection's place among the residents of its event loop, from its coming to its end.
package struct Residency {
  package let residents: LoopResidents
  private var place: LoopResidents.Place?

  package init(among residents: LoopResidents) { self.residents = residents }

  /// The connection has come.
  package mutating func begin(_ resident: any LoopResident) { place = residents.add(resident) }

  /// The connection is gone. False if that was known already, or it has never come.
  package mutating func end() -> Bool {
    guard let place else { return false }
    residents.remove(place)
    self.place = nil
    return true
  }

  /// Replaces the deadline; nothing without a place.
  package func setDeadline(after duration: Duration) {
    if let place { residents.setDeadline(of: place, after: duration) }
  }

  /// Replaces the deadline by a moment of the loop's time; nothing without a place.
  package func setDeadline(at tick: Int64) {
    if let place { residents.setDeadline(of: place, at: tick) }
  }

  package func clearDeadline() {
    if let place { residents.clearDeadline(of: place) }
  }
}
