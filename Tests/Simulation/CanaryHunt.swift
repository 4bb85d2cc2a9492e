import EventSourcing

/// Looks for each planted fault with as many seeds as it takes.
enum CanaryHunt {
  static func run(seeds: Int, commands: Int, jobs: Int) -> Int32 {
    #if CARILLON_CANARIES
      var missed = 0
      print("fault                                   seeds  invariant")
      for canary in Canary.allCases {
        var sweep = SeedSweep(1...UInt64(seeds), commands: commands, jobs: 1)
        sweep.environment = [Canary.variable: canary.rawValue]
        sweep.stopsAtFirst = true
        let broken = sweep.run().broken.first
        if broken == nil { missed += 1 }
        let name = canary.rawValue + String(repeating: " ", count: max(1, 40 - canary.rawValue.count))
        let count = broken.map { String($0.seed) } ?? "none"
        print(name + String(repeating: " ", count: max(0, 5 - count.count)) + count + "  " + (broken?.invariant ?? ""))
      }
      print(missed == 0 ? "all found" : "\(missed) not found")
      return missed == 0 ? 0 : 1
    #else
      print("this build has no planted faults: build with -Xswiftc -DCARILLON_CANARIES")
      return 2
    #endif
  }
}
