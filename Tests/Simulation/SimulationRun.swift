/// What one seed came to.
struct SeedResult {
  let seed: UInt64
  let steps: Int
  let traceHash: UInt64
  let violation: Violation?
  let tail: String
  let counts: World.Counts
}

enum SimulationRun {
  /// Lives one world to its end. - Parameter isLoud: prints everything as it happens.
  static func live(seed: UInt64, commands: Int, partitions: Int = 1, isLoud: Bool = false) -> SeedResult {
    let world = World(seed: seed, partitions: partitions, isLoud: isLoud)
    world.run(commands: commands)
    return SeedResult(
      seed: seed, steps: world.step, traceHash: world.trace.hash, violation: world.violation, tail: world.trace.tail,
      counts: world.counts)
  }
}
