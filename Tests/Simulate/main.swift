import Foundation
import Simulation

// Dictionaries and sets must have the same order in every process of the same seed.
if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
  execv("/proc/self/exe", &arguments)
  perror("the process cannot start itself again")
  exit(2)
}
exit(SimulationCommand.run(Array(CommandLine.arguments.dropFirst())))
