import PeerFormats
import Testing

@Suite("Processor time of a tree of processes")
struct ProcessKinTests {
  private func line(parent: Int, user: Int, system: Int, ended: (Int, Int) = (0, 0), name: String = "nginx") -> String {
    "42 (\(name)) S \(parent) 42 42 0 -1 4194560 1150 0 0 0 \(user) \(system) \(ended.0) \(ended.1) 20 0 1 0 8617 0 0\n"
  }

  @Test("own time, that of ended children, and the parent are read")
  func reads() throws {
    let stat = try #require(ProcessKin(line(parent: 7, user: 30, system: 12, ended: (5, 3))))
    #expect((stat.parent, stat.ticks, stat.ticksOfEnded) == (7, 42, 8))
  }

  @Test("a name with blanks and parentheses moves no field")
  func name() throws {
    let stat = try #require(ProcessKin(line(parent: 7, user: 30, system: 12, name: "tmux: server) S 1 (x")))
    #expect((stat.parent, stat.ticks) == (7, 42))
  }

  @Test("something else is refused", arguments: ["", "42 nginx S 1", "42 (nginx) S 1 42", "42 (nginx) S x y z"])
  func refuses(text: String) { #expect(ProcessKin(text) == nil) }

  @Test("the roots and all below them count, each once, and nobody else")
  func tree() {
    var all: [Int32: ProcessKin] = [:]
    for (pid, parent, ticks) in [(1, 0, 1), (10, 1, 100), (11, 10, 20), (12, 11, 3), (20, 1, 5_000), (30, 1, 600)] {
      all[Int32(pid)] = ProcessKin(line(parent: parent, user: ticks, system: 0))
    }
    #expect(ProcessKin.ticks(of: [10], among: all) == 123)
    // One that is also below another root.
    #expect(ProcessKin.ticks(of: [10, 11, 30], among: all) == 723)
    #expect(ProcessKin.ticks(of: [99], among: all) == 0)
  }
}
