/// The page that holds Carillon beside others: under which conditions, what each promises, and the sheets.
package struct PeerPage: Sendable {
  /// What one of them promises when it says that it has a message, and which version was measured.
  package struct Promise: Sendable {
    package let name: String
    package let version: String
    package let text: String

    package init(_ name: String, version: String, _ text: String) {
      (self.name, self.version, self.text) = (name, version, text)
    }
  }

  package let command: String
  package let date: String
  package let commit: String
  package let machine: String
  package let rounds: Int
  package let promises: [Promise]
  package let sheets: [PeerSheet]

  package init(
    command: String, date: String, commit: String, machine: String, rounds: Int, promises: [Promise],
    sheets: [PeerSheet]
  ) {
    (self.command, self.date, self.commit, self.machine) = (command, date, commit, machine)
    (self.rounds, self.promises, self.sheets) = (rounds, promises, sheets)
  }

  package var markdown: String {
    let promised = promises.map { "| \($0.name) | \($0.version) | \($0.text) |" }.joined(separator: "\n")
    return """
      # Compared

      Carillon and others at the same work, in the same run, in turns: each round measures all of them one after the other, \
      so that all meet the same moods of the machine. Written by `\(command)` on \(date), commit \(commit.prefix(12)), \
      \(machine). A figure is the median of \(rounds == 1 ? "one round" : "\(rounds) rounds"). In brackets: Carillon's \
      figure by this one, the median of the rounds' ratios; of a rate more than 1 is Carillon's advantage, of a time less \
      than 1. Absolute figures of such a machine move by a half from hour to hour; the ratios hold.

      ## What each promises

      | | version | when it says that it has a message |
      |---|---|---|
      \(promised)

      \(sheets.map(\.markdown).joined(separator: "\n"))
      """
  }
}
