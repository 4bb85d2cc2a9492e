/// Why a measurement could not be made, or what it found wrong.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
