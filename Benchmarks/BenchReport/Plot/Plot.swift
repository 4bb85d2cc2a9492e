/// Figures over a logarithmic scale, as an SVG that needs nothing else and follows the reader's light or dark.
package struct Plot: Sendable {
  package struct Series: Sendable {
    /// Stands at its last point; empty if there is only one.
    package let name: String
    package let points: [Point]

    package init(_ name: String = "", _ points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  package struct Point: Sendable, Equatable {
    package let x: Double
    package let y: Double

    package init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  package let title: String
  package let x: PlotAxis
  package let y: PlotAxis
  package let series: [Series]

  /// - Parameters:
  ///   - x: what is shown to the right, with its unit; logarithmic.
  ///   - y: what is shown upwards, with its unit; from nothing on.
  package init(_ title: String, x: String, y: String, _ series: [Series]) {
    self.title = title
    self.series = series
    let points = series.flatMap(\.points)
    self.x = .logarithmic(x, for: points.map(\.x))
    self.y = .linear(y, for: points.map(\.y))
  }

  // Units of the view box: pixels at its own size.
  private static let width = 640.0
  private static let height = 360.0
  private static let left = 76.0
  private static let right = 28.0
  private static let top = 48.0
  private static let bottom = 58.0
  private static var plotWidth: Double { width - left - right }
  private static var plotHeight: Double { height - top - bottom }

  /// Where a point stands, in units of the view box.
  package func place(_ point: Point) -> Point {
    Point(Self.left + x.place(point.x) * Self.plotWidth, Self.top + (1 - y.place(point.y)) * Self.plotHeight)
  }

  /// The whole file.
  package var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(Self.width)) \(Self.number(Self.height))" \
    width="\(Self.number(Self.width))" height="\(Self.number(Self.height))" role="img" aria-labelledby="title">
    <title id="title">\(Self.escaped(title))</title>
    \(Self.style)
    <rect class="paper" width="100%" height="100%"/>
    <text class="title" x="\(Self.number(Self.left))" y="26">\(Self.escaped(title))</text>
    \((grid + labels + lines).joined(separator: "\n"))
    </svg>

    """
  }

  private static let style = """
    <style>
    svg { --paper: #ffffff; --ink: #1f2328; --faint: #d1d9e0; --first: #0969da; --second: #bc4c00; --third: #8250df;
      font: 13px system-ui, sans-serif }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #0d1117; --ink: #e6edf3; --faint: #3d444d; --first: #4493f8; --second: #f0883e; --third: #ab7df8 }
    }
    .paper { fill: var(--paper) }
    text { fill: var(--ink) }
    .title { font-size: 16px; font-weight: 600 }
    .grid { stroke: var(--faint); stroke-width: 1 }
    .line { fill: none; stroke-width: 2.5 }
    .s0 { stroke: var(--first); fill: var(--first) }
    .s1 { stroke: var(--second); fill: var(--second) }
    .s2 { stroke: var(--third); fill: var(--third) }
    .line.s0, .line.s1, .line.s2 { fill: none }
    .name { stroke: none; font-weight: 600 }
    </style>
    """

  // MARK: Parts

  private var grid: [String] {
    let (floor, end) = (Self.top + Self.plotHeight, Self.left + Self.plotWidth)
    let across = y.ticks.map { tick in
      let height = Self.number(place(Point(x.range.lowerBound, tick)).y)
      return "<line class=\"grid\" x1=\"\(Self.number(Self.left))\" y1=\"\(height)\" x2=\"\(Self.number(end))\""
        + " y2=\"\(height)\"/>"
    }
    let upwards = x.ticks.map { tick in
      let side = Self.number(place(Point(tick, 0)).x)
      return "<line class=\"grid\" x1=\"\(side)\" y1=\"\(Self.number(Self.top))\" x2=\"\(side)\""
        + " y2=\"\(Self.number(floor))\"/>"
    }
    return across + upwards
  }

  private var labels: [String] {
    let floor = Self.top + Self.plotHeight
    let values = y.ticks.map { tick in
      let height = Self.number(place(Point(x.range.lowerBound, tick)).y + 4)
      return "<text x=\"\(Self.number(Self.left - 8))\" y=\"\(height)\" text-anchor=\"end\">\(Self.mark(tick))</text>"
    }
    let counts = x.ticks.map { tick in
      let side = Self.number(place(Point(tick, 0)).x)
      return "<text x=\"\(side)\" y=\"\(Self.number(floor + 20))\" text-anchor=\"middle\">\(Self.mark(tick))</text>"
    }
    let (middle, centre) = (Self.left + Self.plotWidth / 2, Self.top + Self.plotHeight / 2)
    return values + counts + [
      "<text x=\"\(Self.number(middle))\" y=\"\(Self.number(Self.height - 14))\" text-anchor=\"middle\">"
        + "\(Self.escaped(x.label))</text>",
      "<text transform=\"translate(18 \(Self.number(centre))) rotate(-90)\" text-anchor=\"middle\">"
        + "\(Self.escaped(y.label))</text>",
    ]
  }

  private var lines: [String] {
    // The name of the lowest stands below its line, so that two do not meet.
    let lowest = series.compactMap(\.points.last?.y).min()
    return series.enumerated().flatMap { index, series in
      let (style, places) = ("s\(index % 3)", series.points.map(place))
      let path = places.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
      var parts = ["<polyline class=\"line \(style)\" points=\"\(path)\"/>"]
      parts += zip(places, series.points).map { place, point in
        "<circle class=\"\(style)\" cx=\"\(Self.number(place.x))\" cy=\"\(Self.number(place.y))\" r=\"4\">"
          + "<title>\(Self.mark(point.x)): \(Measurement("", point.y, "").text)</title></circle>"
      }
      if let last = places.last, !series.name.isEmpty {
        let height = self.series.count > 1 && series.points.last?.y == lowest ? last.y + 20 : last.y - 10
        parts.append(
          "<text class=\"name \(style)\" x=\"\(Self.number(last.x))\" y=\"\(Self.number(height))\""
            + " text-anchor=\"end\">\(Self.escaped(series.name))</text>")
      }
      return parts
    }
  }

  // MARK: Texts

  /// `15,000`, `0.5`, `2`.
  private static func mark(_ value: Double) -> String {
    if value == value.rounded() { return value < 1_000 ? String(Int(value)) : Measurement("", value, "").text }
    return Measurement.decimal(value, digits: value < 0.1 ? 3 : 1)
  }

  /// One decimal, none if it is zero.
  private static func number(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : Measurement.decimal(value, digits: 1)
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }
}
