import Testing

@testable import HTTPKit

@Suite("What an HTTP server counts for people")
struct HTTPMetricsTests {
  @Test("answers with a status from 500 on are counted by surface, others are not, nor is what is no status")
  func failures() {
    let metrics = HTTPMetrics(surfaces: ["chat", "agent", "other"])
    let surfaces = (0..<3).map { HTTPSurface(number: UInt8($0), isForCustomers: false, namesUsers: false) }
    #expect(metrics.failureCounts.isEmpty)
    for status in [200, 404, 499, 0, 600] { metrics.countResponse(surfaces[0], status: status) }
    for status in [500, 503, 507] { metrics.countResponse(surfaces[1], status: status) }
    metrics.countResponse(surfaces[2], status: 599)
    #expect(metrics.failureCounts == ["agent": 3, "other": 1])
  }
}
