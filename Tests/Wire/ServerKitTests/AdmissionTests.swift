import EdgeSecurity
import NIOCore
import NIOEmbedded
import NetworkAddress
import Testing

@testable import ServerKit

@Suite("Admission of connections")
struct AdmissionTests {
  private func admission(limit: Int = 10, byAddress: Int = 2, shared: String? = nil) -> ConnectionAdmission {
    var settings = BudgetSettings()
    settings.connectionsByAddressMaximum = byAddress
    let shared = shared.flatMap { IPAddress($0) }
    return ConnectionAdmission(
      connections: OpenCount(), limit: limit, budgets: StrangerBudgets(settings),
      isShared: { $0 != nil && $0 == shared })
  }

  private func channel(from address: String) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: address, port: 4_000)
    return channel
  }

  @Test("a port takes so many connections, and one more when one has left")
  func full() throws {
    let admission = admission(limit: 2)
    let first = try channel(from: "192.0.2.1")
    #expect(admission.admit(first) == nil)
    #expect(admission.admit(try channel(from: "192.0.2.2")) == nil)
    let third = try channel(from: "192.0.2.3")
    #expect(admission.admit(third) == .full)
    #expect(admission.connections.current == 2)
    _ = try first.finish(acceptAlreadyClosed: true)
    #expect(admission.connections.current == 1)
    #expect(admission.admit(third) == nil)
  }

  @Test("an address has so many connections, and is counted by what of it is one customer's")
  func byAddress() throws {
    let admission = admission(byAddress: 1)
    let first = try channel(from: "2001:db8::1")
    #expect(admission.admit(first) == nil)
    let neighbour = try channel(from: "2001:db8::2")
    #expect(admission.admit(neighbour) == .tooManyFromAddress)
    // Its refusal is under way.
    #expect(admission.connections.current == 2)
    _ = try neighbour.finish(acceptAlreadyClosed: true)
    #expect(admission.admit(try channel(from: "2001:db8:1::1")) == nil)
    _ = try first.finish(acceptAlreadyClosed: true)
    #expect(admission.admit(try channel(from: "2001:db8::3")) == nil)
  }

  @Test("loopback and whoever speaks for everybody has no budget", arguments: ["127.0.0.1", "::1", "192.0.2.9"])
  func exempt(_ address: String) throws {
    let admission = admission(byAddress: 1, shared: "192.0.2.9")
    for _ in 0..<5 { #expect(admission.admit(try channel(from: address)) == nil) }
  }
}
