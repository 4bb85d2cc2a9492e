import BenchReport
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("A plot")
struct PlotTests {
  private let plot = Plot(
    "Cost < 100 & \"falling\"", x: "chats", y: "µs of processor",
    [
      .init("one", [.init(1, 90), .init(100, 50), .init(10_000, 60)]),
      .init("another", [.init(1, 20), .init(10_000, 10)]),
    ])

  @Test("is well-formed XML with a line and its points for each series, and an explanation for those who do not see it")
  func wellFormed() throws {
    let elements = try Elements(plot.svg)
    #expect(elements.names["polyline"] == 2)
    #expect(elements.names["circle"] == 5)
    #expect(elements.names["svg"] == 1)
    #expect(elements.texts.contains("Cost < 100 & \"falling\""))
    for text in ["chats", "µs of processor", "one", "another", "1", "10,000", "100"] {
      #expect(elements.texts.contains(text), "\(text)")
    }
  }

  @Test("follows light and dark by itself and loads nothing")
  func style() {
    #expect(plot.svg.contains("@media (prefers-color-scheme: dark)"))
    #expect(!plot.svg.contains("href"))
    #expect(!plot.svg.contains("url("))
  }

  @Test("has each point where it belongs: to the right by its logarithm, upwards in proportion")
  func places() {
    let (low, middle, high) = (plot.place(.init(1, 0)), plot.place(.init(100, 50)), plot.place(.init(10_000, 100)))
    #expect(abs(middle.x - (low.x + high.x) / 2) < 0.01)
    #expect(abs(middle.y - (low.y + high.y) / 2) < 0.01)
    #expect(low.x < middle.x && middle.x < high.x)
    #expect(low.y > middle.y && middle.y > high.y)
    let third = plot.place(.init(10, 50)).x
    #expect(abs(third - (low.x + (high.x - low.x) / 4)) < 0.01)
  }

  @Test("draws its circles there, inside of its box")
  func circles() throws {
    let circles = try Elements(plot.svg).circles
    let wanted = plot.series.flatMap(\.points).map(plot.place)
    try #require(circles.count == wanted.count)
    for (circle, place) in zip(circles, wanted) {
      #expect(abs(circle.x - place.x) <= 0.05 && abs(circle.y - place.y) <= 0.05)
      #expect((0...640).contains(circle.x) && (0...360).contains(circle.y))
    }
  }

  @Test(
    "marks round values from nothing to beyond the greatest",
    arguments: [
      (12_700, [0, 5_000, 10_000, 15_000]), (90, [0, 20, 40, 60, 80, 100]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
      (0, [0, 1]),
    ] as [(Double, [Double])])
  func ticks(most: Double, ticks: [Double]) {
    let axis = PlotAxis.linear("", for: [most / 2, most])
    #expect(axis.ticks.count == ticks.count)
    for (tick, wanted) in zip(axis.ticks, ticks) { #expect(abs(tick - wanted) < 1e-9) }
  }

  @Test("marks the powers of ten that lie between the least and the greatest")
  func decades() {
    #expect(PlotAxis.logarithmic("", for: [1, 15_000]).ticks == [1, 10, 100, 1_000, 10_000])
    #expect(PlotAxis.logarithmic("", for: [20, 150]).ticks == [100])
    #expect(PlotAxis.logarithmic("", for: [100_000, 10_000_000]).ticks == [100_000, 1_000_000, 10_000_000])
  }
}

/// What a drawing consists of. Throws where it is not well-formed.
private final class Elements: NSObject, XMLParserDelegate {
  private(set) var names: [String: Int] = [:]
  private(set) var texts: Set<String> = []
  private(set) var circles: [(x: Double, y: Double)] = []
  private var text = ""

  init(_ svg: String) throws {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.propertyListReadCorrupt) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    names[name, default: 0] += 1
    text = ""
    if name == "circle", let x = attributes["cx"].flatMap(Double.init), let y = attributes["cy"].flatMap(Double.init) {
      circles.append((x, y))
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    texts.insert(text)
    text = ""
  }
}
