import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Secrets that a service manager hands to the process in a directory of files: one whose name is the variable of an
/// option stands for that variable. Spec: `systemd.exec(5)`, `LoadCredential`.
///
/// An environment is seen by whatever the process starts and by whoever may look at the process; these files are not.
public enum Credentials {
  /// Names the directory.
  public static let variable = "CREDENTIALS_DIRECTORY"

  /// The environment with the credentials below it: a variable that is set wins.
  ///
  /// Other files may lie there, for options that name a file.
  /// - Throws: `ConfigurationRefused` with every file that cannot be read.
  public static func under(_ environment: [String: String]) throws(ConfigurationRefused) -> [String: String] {
    guard let directory = environment[variable] else { return environment }
    var (all, problems) = (environment, [ConfigurationProblem]())
    for name in names(in: directory) where isVariable(name) && environment[name] == nil {
      let path = FilePath(directory).appending(name)
      do throws(Errno) {
        let text = try path.contents(bytesMaximum: Limits.fileBytesMaximum)
        // Editors and `echo` end a file with it.
        all[name] = String(text.hasSuffix("\n") ? text.dropLast() : text[...])
      } catch {
        problems.append(
          ConfigurationProblem(.file(path: path.string, line: nil), reason: FilePath.complaint(error)))
      }
    }
    guard problems.isEmpty else { throw ConfigurationRefused(problems: problems) }
    return all
  }

  /// None if the directory is not there: a process that a service has started may outlive it.
  private static func names(in directory: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  private static func isVariable(_ name: String) -> Bool {
    name.hasPrefix(EnvironmentSpelling.prefix)
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "_")
      }
  }
}
