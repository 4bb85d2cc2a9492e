import Foundation
import ProcessControl
import Testing

@Suite("A program that was started", .timeLimit(.minutes(1)))
struct ChildProcessTests {
  @Test("what it writes is taken in full, from both pipes at a time, and its exit code")
  func run() throws {
    let script = """
      head -c 300000 /dev/zero | tr '\\0' e >&2; head -c 300000 /dev/zero | tr '\\0' o; exit 7
      """
    let outcome = try ChildProcess.run("/bin/sh", ["-c", script])
    #expect(outcome.status == 7)
    #expect(outcome.output == Array(repeating: UInt8(ascii: "o"), count: 300_000))
    #expect(outcome.errors == Array(repeating: UInt8(ascii: "e"), count: 300_000))
  }

  @Test("a signal that ends it is told as a negative number")
  func signal() async throws {
    let child = try ChildProcess("/bin/sleep", ["60"])
    #expect(child.isRunning)
    child.send(signal: SIGTERM)
    #expect(try await child.ended() == -SIGTERM)
    #expect(child.poll() == -SIGTERM)
  }

  @Test("one that does not end in time is killed")
  func late() async throws {
    let child = try ChildProcess("/bin/sleep", ["60"])
    #expect(try await child.wait(atMost: .milliseconds(20)) == nil)
    #expect(child.poll() == -SIGKILL)
  }

  @Test("one that nobody has any more is killed")
  func letGo() throws {
    var child: ChildProcess? = try ChildProcess("/bin/sleep", ["60"])
    let pid = try #require(child?.pid)
    child = nil
    #expect(kill(pid, 0) == -1)
  }

  @Test("has the environment that it is given, and no descriptor but three, whatever is open here")
  func surroundings() throws {
    let outcome = try ChildProcess.run("/bin/sh", ["-c", "echo $A; ls /proc/$$/fd"], environment: ["A": "b"])
    // The listing itself has one more.
    let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
    #expect(lines == ["b", "0", "1", "2"])
  }

  @Test("two streams go to one file, behind what is there")
  func log() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    for text in ["one", "two"] {
      #expect(try await ChildProcess("/bin/sh", ["-c", "echo \(text); echo \(text) >&2"], log: file.path).ended() == 0)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "one\none\ntwo\ntwo\n")
  }

  @Test("reads what is written to its input, until that is closed")
  func input() throws {
    let (input, output) = (try ChildPipe(), try ChildPipe())
    let child = try ChildProcess(
      "/bin/cat", [], input: .descriptor(input.readEnd), output: .descriptor(output.writeEnd))
    closePipe(input.readEnd)
    closePipe(output.writeEnd)
    try FileHandle(fileDescriptor: input.writeEnd, closeOnDealloc: false).write(contentsOf: Data("hello".utf8))
    closePipe(input.writeEnd)
    let read = try FileHandle(fileDescriptor: output.readEnd, closeOnDealloc: true).readToEnd()
    #expect(read == Data("hello".utf8))
    #expect(child.waitUntilExit() == 0)
  }

  @Test("a program that is not there says which, and why")
  func missing() {
    let failure = #expect(throws: SpawnFailure.self) { try ChildProcess("/no/such/program", []) }
    #expect(failure?.description == "cannot start /no/such/program: No such file or directory")
  }
}
