import ChatDomain
import ChatEngine
import JSONEnvelope

/// Figures as JSON and as CSV.
enum FigureRendering {
  static func write(_ day: DayFigures, into object: inout JSONObjectWriter) {
    let report = day.report
    object.member("date", report.day.text)
    object.member("complete", day.isComplete)
    object.object("total") { write(report.total, into: &$0) }
    object.objects("services", report.services) { service, object in
      object.member("service", service.name)
      write(service.figures, into: &object)
    }
    object.objects("agents", report.agents) { agent, object in
      object.member("agentId", agent.name)
      writeAnswered(agent.figures, into: &object)
    }
    object.objects("hours", Array(report.hours.enumerated())) { hour, object in
      object.member("hour", hour.offset)
      write(hour.element, into: &object)
    }
  }

  private static func write(_ figures: Figures, into object: inout JSONObjectWriter) {
    object.member("begun", figures.begun)
    object.member("abandoned", figures.abandoned)
    writeAnswered(figures, into: &object)
  }

  private static func writeAnswered(_ figures: Figures, into object: inout JSONObjectWriter) {
    object.member("handled", figures.handled)
    write("firstAnswer", figures.firstAnswer, into: &object)
    write("handling", figures.handling, into: &object)
  }

  private static func write(_ name: StaticString, _ times: Percentiles?, into object: inout JSONObjectWriter) {
    guard let times else { return object.member(name, String?.none) }
    object.object(name) { pair in
      pair.member("p50", times.p50)
      pair.member("p90", times.p90)
    }
  }

  // MARK: CSV

  private static let titles = [
    "date", "of", "name", "begun", "handled", "abandoned", "firstAnswerP50", "firstAnswerP90", "handlingP50",
    "handlingP90",
  ]

  /// A line each, with CR and LF at its end. Spec: RFC 4180.
  static func csv(_ day: DayFigures) -> String {
    let report = day.report
    var lines = [titles, line(report, "all", "", report.total)]
    lines += report.services.map { line(report, "service", $0.name, $0.figures) }
    lines += report.agents.map { line(report, "agent", $0.name, $0.figures) }
    lines += report.hours.enumerated().map { hour, figures in
      line(report, "hour", hour < 10 ? "0\(hour)" : "\(hour)", figures)
    }
    return lines.map { $0.map(cell).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func line(
    _ report: ChatFigureReport, _ kind: String, _ name: String, _ figures: Figures
  ) -> [String] {
    // Nobody's chats are in an agent's line: there is nothing to compare these with.
    let isAgent = kind == "agent"
    let counts = [isAgent ? nil : figures.begun, figures.handled, isAgent ? nil : figures.abandoned]
    let times = [figures.firstAnswer?.p50, figures.firstAnswer?.p90, figures.handling?.p50, figures.handling?.p90]
    return [report.day.text, kind, name] + (counts + times).map { $0.map(String.init) ?? "" }
  }

  /// A text in a cell. One that a spreadsheet would take for a formula is none behind an apostrophe.
  static func cell(_ text: String) -> String {
    // By scalars: a mark behind a quotation mark makes another character of it, and no other byte.
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
    let harmless = isFormula ? "'" + text : text
    guard harmless.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return harmless }
    var quoted = String.UnicodeScalarView()
    for scalar in harmless.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return "\"" + String(quoted) + "\""
  }
}
