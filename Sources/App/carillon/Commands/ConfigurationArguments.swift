import ArgumentParser
import CarillonConfiguration
import OptionKit
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The arguments that say where the configuration is and what stands over it.
struct ConfigurationArguments: ParsableArguments {
  @Option(name: .shortAndLong, help: "Configuration file; CARILLON_CONFIG or carillon.yaml if absent.")
  var config: String?

  @Option(name: .customLong("set"), help: "One option, as section/option=value; may be given again and again.")
  var settings: [String] = []

  @Option(name: .shortAndLong, help: "Where the journal and the tokens are.")
  var dataDirectory: String?

  /// - Throws: `ConfigurationRefused` with every problem that was found.
  func load(_ flags: [ConfigurationOverride] = []) throws(ConfigurationRefused) -> LoadedConfiguration {
    try ConfigurationLoader.load(try sources(flags))
  }

  /// - Throws: `ConfigurationRefused` if an argument of `--set` is malformed, or a credential cannot be read.
  func sources(_ flags: [ConfigurationOverride] = []) throws(ConfigurationRefused) -> ConfigurationSources {
    var overrides: [ConfigurationOverride] = []
    var problems: [ConfigurationProblem] = []
    for text in settings {
      do throws(ConfigurationProblem) {
        overrides.append(try ConfigurationOverride(argument: text))
      } catch {
        problems.append(error)
      }
    }
    guard problems.isEmpty else { throw ConfigurationRefused(problems: problems) }
    if let dataDirectory {
      overrides.append(
        ConfigurationOverride(
          ServerOptions.keys.dataDirectory, in: .server, value: dataDirectory, flag: "--data-directory"))
    }
    return ConfigurationSources(
      file: config.map { FilePath($0) }, environment: try Credentials.under(ProcessInfo.processInfo.environment),
      overrides: overrides + flags)
  }

  /// The configuration, or one line for each problem on standard error and the end of the process.
  func loadOrExit(_ flags: [ConfigurationOverride] = []) throws -> LoadedConfiguration {
    do throws(ConfigurationRefused) {
      let configuration = try load(flags)
      for warning in configuration.warnings { Console.remark("warning: \(warning)") }
      return configuration
    } catch {
      for warning in error.warnings { Console.remark("warning: \(warning)") }
      for problem in error.problems { Console.remark("error: \(problem)") }
      throw ExitStatus.configuration.exitCode
    }
  }
}
