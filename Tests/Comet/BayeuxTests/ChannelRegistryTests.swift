import Bayeux
import Testing

@Suite("The registry of application channels")
struct ChannelRegistryTests {
  private static let (ann, bob) = (ChannelMember(rawValue: 1), ChannelMember(rawValue: 2))

  private static func limits(channels: Int = 3, subscriptions: Int = 2) -> ChannelLimits {
    var limits = ChannelLimits()
    (limits.channelsMaximum, limits.subscriptionsBySessionMaximum) = (channels, subscriptions)
    return limits
  }

  private static func registry(_ events: [ChannelRegistry.Event]) -> ChannelRegistry {
    var registry = ChannelRegistry(limits: limits())
    for event in events { registry.evolve(event) }
    return registry
  }

  @Test(
    "given this, when that is asked, exactly this happens",
    arguments: [
      // A channel comes into being by the first who subscribes, and another joins it.
      ([], .subscribe(ann, to: "/a"), [.opened("/a"), .joined("/a", ann)]),
      ([.opened("/a"), .joined("/a", ann)], .subscribe(bob, to: "/a"), [.joined("/a", bob)]),
      // Subscribing twice is fine, and nothing.
      ([.opened("/a"), .joined("/a", ann)], .subscribe(ann, to: "/a"), []),
      // The name that a pattern covers is another channel than the pattern.
      ([.opened("/a/*"), .joined("/a/*", ann)], .subscribe(ann, to: "/a/b"), [.opened("/a/b"), .joined("/a/b", ann)]),
      ([.opened("/a"), .joined("/a", ann)], .unsubscribe(ann, from: "/a"), [.left("/a", ann)]),
      // Known, but not the session's.
      ([.opened("/a"), .joined("/a", ann)], .unsubscribe(bob, from: "/a"), []),
      // The end of a session ends its subscriptions, and nobody else's.
      (
        [.opened("/b"), .joined("/b", ann), .opened("/a"), .joined("/a", ann), .joined("/a", bob)], .leave(ann),
        [.left("/a", ann), .left("/b", ann)]
      ),
      ([], .leave(ann), []),
      // What is published on is known for a while; to whom it goes is no event.
      ([], .publish(on: "/a"), [.opened("/a")]),
      ([.opened("/a")], .publish(on: "/a"), []),
      ([.opened("/a"), .swept([])], .publish(on: "/a"), [.renewed("/a")]),
      ([.opened("/a"), .joined("/a", ann)], .publish(on: "/a"), []),
      // Nothing is swept as long as all have subscribers.
      ([], .sweep, []),
      ([.opened("/a"), .joined("/a", ann)], .sweep, []),
      // It ends in its third pass.
      ([.opened("/a")], .sweep, [.swept([])]),
      ([.opened("/a"), .swept([])], .sweep, [.swept([])]),
      ([.opened("/a"), .swept([]), .swept([])], .sweep, [.swept(["/a"])]),
      ([.opened("/a"), .swept([]), .renewed("/a"), .swept([])], .sweep, [.swept([])]),
      // Whoever subscribes saves it, whoever leaves begins its passes anew.
      ([.opened("/a"), .swept([]), .swept([]), .joined("/a", ann)], .sweep, []),
      ([.opened("/a"), .swept([]), .swept([]), .joined("/a", ann), .left("/a", ann)], .sweep, [.swept([])]),
    ] as [([ChannelRegistry.Event], ChannelRegistry.Command, [ChannelRegistry.Event])])
  func rules(
    given: [ChannelRegistry.Event], when command: ChannelRegistry.Command, then events: [ChannelRegistry.Event]
  ) throws {
    #expect(try Self.registry(given).decide(command) == events)
  }

  @Test(
    "what may not be is refused by its name",
    arguments: [
      ([], .unsubscribe(ann, from: "/a"), .channelMissing),
      ([.opened("/a"), .swept([]), .swept([]), .swept(["/a"])], .unsubscribe(ann, from: "/a"), .channelMissing),
      (
        [.opened("/a"), .joined("/a", ann), .opened("/b"), .joined("/b", ann)], .subscribe(ann, to: "/c"),
        .subscriptionLimit(2)
      ),
      ([.opened("/a"), .opened("/b"), .opened("/c")], .subscribe(ann, to: "/d"), .channelLimit(3)),
      ([.opened("/a"), .opened("/b"), .opened("/c")], .publish(on: "/d"), .channelLimit(3)),
    ] as [([ChannelRegistry.Event], ChannelRegistry.Command, BayeuxError)])
  func refusals(given: [ChannelRegistry.Event], when command: ChannelRegistry.Command, then error: BayeuxError) {
    #expect(throws: error) { try Self.registry(given).decide(command) }
  }

  @Test(
    "a message goes to whoever a subscription of theirs covers, one copy each",
    arguments: [
      ("/a/b/c", [1, 2, 3, 4, 5]), ("/a/b", [3, 4]), ("/a/b/d", [2, 3, 4, 5]), ("/a", [3]), ("/a/b/c/d", [3, 4, 5]),
      ("/x", [3]),
    ])
  func receivers(of channel: String, are numbers: [UInt64]) {
    var registry = ChannelRegistry()
    let subscriptions: [(UInt64, String)] = [
      (1, "/a/b/c"), (2, "/a/b/*"), (3, "/**"), (4, "/a/**"), (5, "/a/b/**"), (5, "/a/b/c"), (4, "/a/b/c"),
    ]
    for (number, name) in subscriptions {
      if !registry.isKnown(name) { registry.evolve(.opened(name)) }
      registry.evolve(.joined(name, ChannelMember(rawValue: number)))
    }
    #expect(registry.receivers(of: channel).map(\.rawValue).sorted() == numbers)
  }

  @Test("patterns are looked for only while there are some")
  func patterns() throws {
    var registry = Self.registry([.opened("/a"), .joined("/a", Self.ann), .opened("/*"), .joined("/*", Self.bob)])
    #expect(registry.receivers(of: "/a").sorted() == [Self.ann, Self.bob])
    for event in try registry.decide(.leave(Self.bob)) { registry.evolve(event) }
    #expect(registry.receivers(of: "/a") == [Self.ann])
    for _ in 1...ChannelLimits.passesMaximum {
      for event in try registry.decide(.sweep) { registry.evolve(event) }
    }
    #expect(!registry.isKnown("/*"))
    #expect(registry.receivers(of: "/a") == [Self.ann])
    #expect(!registry.needsSweep)
  }

  @Test("whatever is done in whatever order, each side knows what the other does, and no limit is passed")
  func random() {
    var random = SplitMix(state: 20)
    let names = ["/a", "/a/b", "/a/*", "/a/**", "/**", "/b"]
    var registry = ChannelRegistry(limits: Self.limits(channels: 5, subscriptions: 3))
    for _ in 1...20_000 {
      let member = ChannelMember(rawValue: random.next() % 4)
      let name = names[Int(random.next() % UInt64(names.count))]
      let command: ChannelRegistry.Command =
        switch random.next() % 8 {
        case 0...2: .subscribe(member, to: name)
        case 3, 4: .unsubscribe(member, from: name)
        case 5: .publish(on: ["/a", "/a/b", "/b"][Int(random.next() % 3)])
        case 6: .sweep
        default: .leave(member)
        }
      for event in (try? registry.decide(command)) ?? [] { registry.evolve(event) }
      #expect(registry.channelCount <= 5)
      for number in 0...3 as ClosedRange<UInt64> {
        let member = ChannelMember(rawValue: number)
        let own = registry.subscriptions(of: member)
        #expect(own.count <= 3)
        for channel in ["/a", "/a/b", "/b"] {
          let covers = own.contains { ChannelName.matches(pattern: $0, channel: channel) }
          #expect(registry.receivers(of: channel).count { $0 == member } == (covers ? 1 : 0))
        }
      }
    }
  }
}
