import Testing

@testable import Engine
@testable import EngineKit

@Suite("Ids")
struct IdentifiersTests {
  private static let ones = Identifiers { $0.copyBytes(from: repeatElement(0xFF, count: $0.count)) }

  @Test("of data, subscriptions and services are UUIDs of version 4")
  func uuids() {
    #expect(Self.ones.uuid() == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(Self.ones.serviceID(node: 412) == "412-ffffffff-ffff-4fff-bfff-ffffffffffff")
  }
}
