import EntityRuntime
import Testing

@Suite("Where something lies")
struct PlacementTests {
  struct Row: Sendable {
    let key: String
    let places: [Int]
  }

  /// Data directories rely on each of them.
  @Test(
    "is the same for ever",
    arguments: [
      Row(key: "", places: [0, 1, 3, 15]),
      Row(key: "a", places: [0, 0, 0, 3]),
      Row(key: "1-5f0c", places: [0, 1, 2, 9]),
      Row(key: "mia", places: [0, 1, 3, 14]),
      Row(key: "4611686018427387904", places: [0, 1, 2, 9]),
      Row(key: "ü🔔", places: [0, 0, 0, 3]),
    ])
  func frozen(row: Row) {
    for (count, place) in zip([1, 2, 4, 16], row.places) {
      #expect(Placement(count: count, seed: 0x0123_4567_89AB_CDEF).partition(of: row.key) == place)
    }
  }

  @Test("depends on the seed: who chooses keys cannot choose a partition")
  func seeds() {
    let places = Set((0..<64).map { Placement(count: 16, seed: UInt64($0)).partition(of: "a key") })
    #expect(places.count > 8)
  }

  @Test("is spread evenly, also of keys that count", arguments: [2, 3, 4, 7, 16])
  func even(count: Int) {
    let placement = Placement(count: count, seed: 42)
    var found = [Int](repeating: 0, count: count)
    for number in 0..<10_000 { found[placement.partition(of: "1-\(number)")] += 1 }
    let share = 10_000 / count
    for number in found { #expect(abs(number - share) < share / 5) }
  }
}
