import BenchReport

/// One piece of work that several do.
struct Contest {
  /// Who does it.
  struct Entrant {
    let name: String
    /// Figures by the key of their column. An entrant that measures another one in turns with itself gives both.
    let measure: () async throws -> [String: [String: Double]]

    init(_ name: String, _ measure: @escaping () async throws -> [String: Double]) {
      self.name = name
      self.measure = { [name: try await measure()] }
    }

    init(_ name: String, with others: @escaping () async throws -> [String: [String: Double]]) {
      self.name = name
      measure = others
    }
  }

  private(set) var sheet: PeerSheet
  private let entrants: [Entrant]

  /// - Parameter sheet: with a row for each name that the entrants give.
  init(_ sheet: PeerSheet, _ entrants: [Entrant]) {
    self.sheet = sheet
    self.entrants = entrants
  }

  /// Lets each of them do it once, every other time in the reverse order. One that cannot is named on the sheet and left
  /// out from then on; without Carillon there is nothing to compare.
  mutating func run(round: Int) async throws {
    for entrant in round % 2 == 1 ? entrants : entrants.reversed() {
      guard let row = sheet.rows.firstIndex(where: { $0.name == entrant.name }), sheet.rows[row].refusal == nil else {
        continue
      }
      Terminal.note("peers: round \(round), \(sheet.title): \(entrant.name)")
      do {
        for (name, figures) in try await entrant.measure() {
          guard let row = sheet.rows.firstIndex(where: { $0.name == name }) else { continue }
          sheet.rows[row].rounds.append(figures)
        }
      } catch {
        if entrant.name == sheet.reference { throw error }
        Terminal.note("peers: \(entrant.name): \(error)")
        // The first line: what follows is the end of a log.
        sheet.rows[row].refusal = "\(error)".split(whereSeparator: \.isNewline).first.map(String.init) ?? "\(error)"
      }
    }
  }
}
