public import Engine
package import HTTPEdge
import OptionKit

/// A configuration that has been found good: what was set, in the one form of each type; defaults are not written in.
public struct LoadedConfiguration: Sendable {
  /// Section → option → value. Only what a source set: the order of look-up needs to know what is absent.
  public let sections: [String: [String: String]]
  /// Where each value came from, by section and option.
  public let origins: [String: [String: ConfigurationOrigin]]
  /// What apps show their users.
  public let texts: TextTable
  /// What is odd but not refused.
  public let warnings: [ConfigurationProblem]
  /// The file that was read; nil if there was none.
  public let file: String?

  /// The options of section `server` whose values differ in `other` and that a running process cannot take over.
  public func optionsThatNeedRestart(comparedTo other: LoadedConfiguration) -> [String] {
    Schema.options(in: .server).filter { option in
      let (mine, others) = (text(of: option.name), other.text(of: option.name))
      return option.effect == .restart && mine ?? option.defaultValue != others ?? option.defaultValue
    }.map(\.name)
  }
}

/// Section `server`: what the process is told at its start.
extension LoadedConfiguration: OptionReader {
  package func text(of name: String) -> String? { sections[SectionKind.server.form]?[name] }

  /// The bounds of the HTTP edge.
  package var edgeLimits: EdgeLimits { EdgeLimits(self) }
}
