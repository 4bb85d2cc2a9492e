import FileEngine
import Foundation
import SystemPackage
import Testing

@testable import carillon

@Suite("A command that scans files", .timeLimit(.minutes(1)))
struct CommandScannerTests {
  private static func directory() throws -> FilePath {
    let url = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return FilePath(url.path)
  }

  /// A program that is run by its path alone.
  private static func script(_ text: String, in directory: FilePath) throws -> String {
    let file = directory.appending("scan.sh").string
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
    return file
  }

  private static func isWanted(_ verdict: ScanVerdict, _ word: String) -> Bool {
    switch verdict {
    case .clean: word == "clean"
    case .refused: word == "refused"
    case .undecided(let reason): reason.contains(word)
    }
  }

  @Test(
    "its exit status is the verdict; nothing is left of the file",
    arguments: [
      ("exit 0", "clean"), ("exit 1", "refused"), ("exit 2", "status 2"), ("kill -9 $$", "signal 9"),
      // Its arguments, then the file, whose bytes are on standard input, too. No shell looks at them.
      (#"[ "$1" = '$(exit 9); *' ] && [ "$(cat "$2")" = EICAR ] && [ "$(cat)" = EICAR ] && exit 1"#, "refused"),
      // Only its owner reads it, and there is nothing of the server's surroundings.
      (#"[ "$(stat -c %a "$2")" = 600 ] && [ -z "$CARILLON_SECRET" ] && [ -z "$HOME" ] && exit 1"#, "refused"),
      ("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; exit 1", "refused"),
    ])
  func verdicts(script: String, word: String) async throws {
    let directory = try Self.directory()
    let scanner = CommandScanner(directory: directory.appending("scan"))
    let verdict = await scanner.verdict(
      on: Array("EICAR".utf8), by: [try Self.script(script, in: directory), "$(exit 9); *"], within: .seconds(30))
    #expect(Self.isWanted(verdict, word), "\(verdict)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.appending("scan").string) == [])
  }

  @Test("whatever does not end in time is killed, with all that it has started, whether or not its sender waits for it")
  func late() async throws {
    for isAwaited in [true, false] {
      let directory = try Self.directory()
      let program = try Self.script(
        "echo $$ > \(directory)/pid; sleep 600 & echo $! > \(directory)/child; touch \(directory)/up; wait",
        in: directory)
      let scanner = CommandScanner(directory: directory.appending("scan"))
      let scan = Task { await scanner.verdict(on: [1], by: [program], within: .seconds(1)) }
      if !isAwaited {
        while !Task.isCancelled, !FileManager.default.fileExists(atPath: directory.appending("up").string) {
          await Task.yield()
        }
        scan.cancel()
      }
      let verdict = await scan.value
      #expect(Self.isWanted(verdict, "in time"), "\(verdict)")
      for name in ["pid", "child"] {
        let text = try String(contentsOfFile: directory.appending(name).string, encoding: .utf8)
        let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        // The child is a zombie until init has taken it away.
        while kill(pid, 0) == 0, !Self.isZombie(pid) { try await Task.sleep(for: .milliseconds(1)) }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.appending("scan").string) == [])
    }
  }

  private static func isZombie(_ pid: pid_t) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
    return status.contains(") Z ")
  }

  @Test("a program that there is not gives no verdict, nor does none")
  func missing() async throws {
    let directory = try Self.directory()
    let scanner = CommandScanner(directory: directory.appending("scan"))
    for command in [["/nowhere/scan"], []] {
      guard case .undecided = await scanner.verdict(on: [1], by: command, within: .seconds(5)) else {
        Issue.record("\(command) has a verdict")
        continue
      }
    }
  }

  @Test("what a kill has left goes when the next server starts")
  func leftovers() throws {
    let scans = try Self.directory().appending("scan")
    try FileManager.default.createDirectory(atPath: scans.string, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: scans.appending("7").string))
    _ = CommandScanner(directory: scans)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scans.string) == [])
  }
}
