import Foundation

/// The simulation as a command: many seeds, one seed again with everything that happens, or the planted faults.
///
/// ```
///   run --seeds 1...2000 --commands 500 [--jobs 2]     lives through all of them; the first violations are printed
///       [--twice]                                      each seed twice: both runs must be the same
///       [--partitions 4]                               with so many journals
///   run --seed 17 [--commands 500] [--quiet]           one seed again, loudly
///   canaries [--seeds 500] [--commands 500]            finds each planted fault, or says which it did not find
///   keep --seed 17 --directory D [--commands 500]      leaves what is on the seed's disk in the middle of its life
/// ```
/// Seeds run in child processes, some at a time: a fault that ends the process is told as what it is.
public enum SimulationCommand {
  /// - Returns: the exit status: 0 if every promise was kept, 1 if not, 2 for arguments that mean nothing.
  public static func run(_ arguments: [String]) -> Int32 {
    var options = Options()
    guard let verb = arguments.first, options.read(Array(arguments.dropFirst())) else {
      print(
        "usage: run --seeds 1...2000 | run --seed 17 [--quiet] | canaries | keep --seed 17 --directory D; [--commands 500] [--partitions 1] [--jobs 2]"
      )
      return 2
    }
    switch verb {
    case "run":
      if let seed = options.seed { return replay(seed, options) }
      return SeedSweep(
        options.seeds, commands: options.commands, partitions: options.partitions, jobs: options.jobs,
        isTwice: options.isTwice
      ).report()
    case "worker": return work(options)
    case "canaries": return CanaryHunt.run(seeds: options.seeds.count, commands: options.commands, jobs: options.jobs)
    case "keep": return keep(options)
    default: return 2
    }
  }

  struct Options {
    var seeds: ClosedRange<UInt64> = 1...500
    var seed: UInt64?
    var commands = 500
    /// Journals.
    var partitions = 1
    var jobs = 2
    var directory: String?
    var isQuiet = false
    /// Each seed is lived twice, and both lives must be the same to the last word.
    var isTwice = false

    mutating func read(_ arguments: [String]) -> Bool {
      var rest = arguments[...]
      while let name = rest.popFirst() {
        if name == "--quiet" {
          isQuiet = true
          continue
        }
        if name == "--twice" {
          isTwice = true
          continue
        }
        guard let value = rest.popFirst() else { return false }
        switch name {
        case "--seeds":
          let bounds = value.components(separatedBy: "...").compactMap { UInt64($0) }
          guard let last = bounds.last, let first = bounds.count == 2 ? bounds.first : 1, first <= last else {
            return false
          }
          seeds = first...last
        case "--seed":
          guard let number = UInt64(value) else { return false }
          seed = number
        case "--commands":
          guard let number = Int(value), number > 0 else { return false }
          commands = number
        case "--jobs":
          guard let number = Int(value), number > 0 else { return false }
          jobs = number
        case "--partitions":
          guard let number = Int(value), (1...9).contains(number) else { return false }
          partitions = number
        case "--directory": directory = value
        default: return false
        }
      }
      return true
    }
  }

  private static func replay(_ seed: UInt64, _ options: Options) -> Int32 {
    SeededExecutor.install()
    let result = SimulationRun.live(
      seed: seed, commands: options.commands, partitions: options.partitions, isLoud: !options.isQuiet)
    print("seed \(seed): \(result.steps) steps, trace \(String(result.traceHash, radix: 16))")
    print(String(describing: result.counts))
    guard let violation = result.violation else { return 0 }
    print(SeedSweep.describe(violation, seed: seed))
    return 1
  }

  /// How a golden directory is made: all that one world has on its disk, and what kinds of entities live there.
  private static func keep(_ options: Options) -> Int32 {
    guard let seed = options.seed, let directory = options.directory else { return 2 }
    SeededExecutor.install()
    let world = World(seed: seed, segmentByteCount: keptSegmentByteCount)
    world.live(commands: options.commands)
    world.settle()
    world.complete()
    if let violation = world.violation {
      print(SeedSweep.describe(violation, seed: seed))
      return 1
    }
    do {
      try world.keepDisk(in: directory)
    } catch {
      print("\(directory): \(error)")
      return 1
    }
    print(world.livingKinds.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))
    return 0
  }

  /// Small, so that what is kept has more than one segment.
  private static let keptSegmentByteCount = 65_536

  /// One line for each seed, for the process that started this one.
  private static func work(_ options: Options) -> Int32 {
    SeededExecutor.install()
    for seed in options.seeds {
      SeedLine.print("begin \(seed)")
      func live() -> SeedResult {
        SimulationRun.live(seed: seed, commands: options.commands, partitions: options.partitions)
      }
      let result = live()
      if options.isTwice, live().traceHash != result.traceHash {
        SeedLine.print("broken \(seed) the same seed gives the same run")
        return 1
      }
      guard let violation = result.violation else {
        SeedLine.print("kept \(seed) \(String(result.traceHash, radix: 16)) \(result.counts.commands)")
        continue
      }
      SeedLine.print("broken \(seed) \(violation.invariant.rawValue)")
      SeedLine.print("text \(SeedSweep.describe(violation, seed: seed))\n\(result.tail)", isBlock: true)
      return 1
    }
    return threadCount == 1 ? 0 : 3
  }

  /// Threads of this process: more than one, and something has escaped the simulation.
  private static var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 1
  }
}
