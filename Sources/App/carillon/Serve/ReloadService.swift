import CarillonConfiguration
import Engine
import Logging
import ServiceLifecycle
import Supervision
import UnixSignals

/// Reads the configuration again on SIGHUP. One that is refused changes nothing.
struct ReloadService: Service {
  let sources: ConfigurationSources
  /// What the process was started with: what only a restart takes over is compared with this.
  let started: LoadedConfiguration
  let options: OptionStore
  let level: LogLevelSwitch
  let supervisor: Supervisor
  let logger: Logger
  /// What else has to look at its options and files again.
  let onReload: @Sendable (LoadedConfiguration) async -> Void

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      supervisor.reloads()
      supervisor.reloaded(refused: !(await reload()))
    }
  }

  /// - Returns: false if it was refused.
  private func reload() async -> Bool {
    let fresh: LoadedConfiguration
    do throws(ConfigurationRefused) {
      fresh = try ConfigurationLoader.load(sources)
    } catch {
      for problem in error.problems { logger.log(problem, at: .error) }
      logger.error("configuration refused, the old one stays", metadata: ["problems": "\(error.problems.count)"])
      return false
    }
    for warning in fresh.warnings { logger.log(warning, at: .warning) }
    let waiting = started.optionsThatNeedRestart(comparedTo: fresh)
    if !waiting.isEmpty {
      logger.warning(
        "changed, but only a restart takes it over", metadata: ["options": .array(waiting.map { "\($0)" })])
    }
    options.replace(fresh.options)
    await onReload(fresh)
    level.level = Logger.Level(rawValue: ServerSettings(fresh).logLevel) ?? .info
    logger.notice("configuration read again", metadata: ["file": "\(fresh.file ?? "none")"])
    return true
  }
}

extension Logger {
  /// One record for one problem, its parts as metadata.
  func log(_ problem: ConfigurationProblem, at level: Logger.Level) {
    var metadata: Metadata = ["source": "\(problem.origin)"]
    if let section = problem.section { metadata["section"] = "\(section)" }
    if let option = problem.option { metadata["option"] = "\(option)" }
    log(level: level, "configuration: \(problem.reason)", metadata: metadata)
  }
}
