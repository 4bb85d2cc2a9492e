// swift-tools-version: 6.2
import PackageDescription

// The fuzzers, apart from the root package: they are built with a sanitizer that the server's own build must not see,
// and without its edge, so that they are there in a minute or two. `Sources` and `Journal` are links to the real ones.
//
// The modules are the root package's, instrumented, and testable like there. See `run` for how to use it.

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"]),
]

func module(
  _ name: String, in folder: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  sources: [String]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "\(folder)/\(name)", exclude: exclude, sources: sources,
    swiftSettings: strict)
}

/// The program `fuzz-<name>` from a folder of this package.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "fuzz-" + name.lowercased(), dependencies: ["Fuzzing"] + dependencies, path: name,
    exclude: ["corpus", "words.dict"], swiftSettings: strict,
    linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])])
}

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

let package = Package(
  name: "carillon-fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
  ],
  targets: [
    // As in the root package.
    module("EventSourcing", in: "Sources/Kernel"),
    module("TextEncoding", in: "Sources/Kernel", [crypto]),
    module("OptionKit", in: "Sources/Kernel"),
    module("JSONEnvelope", in: "Sources/Wire"),
    module("Bayeux", in: "Sources/Comet", ["JSONEnvelope"]),
    module("ChatDomain", in: "Sources/Chat", ["EventSourcing"]),
    module("TextSearch", in: "Sources/Chat"),
    module("PushDomain", in: "Sources/Push", ["EventSourcing", "OptionKit", heap]),
    module("CallbackDomain", in: "Sources/Callback", ["EventSourcing"]),
    module("StorageDomain", in: "Sources/Storage", ["EventSourcing"]),
    module("SupportDomain", in: "Sources/Support", ["EventSourcing"]),
    module("GCMProtocol", in: "Sources/Messaging", ["JSONEnvelope", "PushDomain", "EventSourcing"]),
    module("MCSProtocol", in: "Sources/Messaging", [protobuf], exclude: ["Proto/checkin.proto", "Proto/mcs.proto"]),
    module("WebPushEncryption", in: "Sources/Push", ["TextEncoding", crypto]),
    .systemLibrary(name: "CLZ4", path: "Journal/CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .target(name: "CChecksum", path: "Journal/CChecksum"),
    module("LZ4", in: "Journal", ["CLZ4"]),
    module("JournalFormat", in: "Journal", ["LZ4", "CChecksum", crypto]),
    module("Transparency", in: "Journal", ["JournalFormat"]),
    module("Journal", in: "Journal", ["JournalFormat", "Transparency", systemPackage]),
    module("EntityRuntime", in: "Sources/Kernel", ["EventSourcing", collections]),
    module(
      "EngineKit", in: "Sources/Kernel",
      [
        "EntityRuntime", "EventSourcing", "Journal", "JournalFormat", "OptionKit", "TextEncoding", coreMetrics, logging,
        metrics,
        systemPackage,
      ]),
    module(
      "CometEngine", in: "Sources/Comet",
      ["Bayeux", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "OptionKit", collections]),
    module(
      "PushEngine", in: "Sources/Push",
      [
        "Bayeux", "CometEngine", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "OptionKit",
        "PushDomain",
        "TextEncoding", coreMetrics, crypto, logging, metrics,
      ]),
    module(
      "ChatEngine", in: "Sources/Chat",
      [
        "Bayeux", "ChatDomain", "CometEngine", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope",
        "OptionKit", "PushDomain", "PushEngine", "TextSearch", collections, logging,
      ]),
    module(
      "MessagingEngine", in: "Sources/Messaging",
      [
        "TextEncoding", "EngineKit", "EntityRuntime", "EventSourcing", "GCMProtocol", "JSONEnvelope", "OptionKit",
        "PushDomain",
        "PushEngine",
        "WebPushEncryption", crypto,
      ]),
    module(
      "CallbackEngine", in: "Sources/Callback",
      [
        "CallbackDomain", "ChatDomain", "ChatEngine", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope",
        "OptionKit", "PushDomain", "PushEngine", coreMetrics, logging, metrics,
      ]),
    module(
      "NotificationEngine", in: "Sources/Notification",
      [
        "ChatDomain", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "OptionKit", "PushDomain",
        "PushEngine",
        logging,
      ]),
    module(
      "StorageEngine", in: "Sources/Storage",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "Journal", "OptionKit", "StorageDomain", "TextEncoding", crypto,
        logging,
        systemPackage,
      ]),
    module(
      "FileEngine", in: "Sources/Files",
      [
        "ChatDomain", "ChatEngine", "EngineKit", "EntityRuntime", "EventSourcing", "OptionKit", "StorageEngine",
        logging,
      ]),
    module(
      "SupportEngine", in: "Sources/Support",
      [
        "TextEncoding", "Bayeux", "ChatDomain", "ChatEngine", "CometEngine", "EngineKit", "EntityRuntime",
        "EventSourcing",
        "JSONEnvelope", "OptionKit", "PushDomain", "PushEngine", "StorageDomain", "StorageEngine", "SupportDomain",
        coreMetrics,
        crypto, logging, metrics,
      ]),
    module(
      "AuditEngine", in: "Sources/Audit",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "Journal", "JournalFormat", "OptionKit",
        "TextEncoding", "Transparency", coreMetrics, crypto, logging, metrics, systemPackage,
      ]),
    module("ConsoleEngine", in: "Sources/Console", ["EngineKit", "EntityRuntime", "EventSourcing", "OptionKit"]),
    module("StandbyWire", in: "Sources/Cluster", ["JSONEnvelope", "JournalFormat"]),
    module(
      "StandbyEngine", in: "Sources/Cluster",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "Journal", "JournalFormat", "OptionKit", "StandbyWire",
        coreMetrics, logging, metrics, systemPackage,
      ]),
    module(
      "Engine", in: "Sources/App",
      [
        "AuditEngine", "Bayeux", "CallbackDomain", "CallbackEngine", "ChatDomain", "ChatEngine", "CometEngine",
        "ConsoleEngine", "EngineKit", "EntityRuntime", "EventSourcing", "FileEngine", "Journal", "MessagingEngine",
        "NotificationEngine", "OptionKit", "PushDomain",
        "PushEngine", "StandbyEngine", "StorageDomain", "StorageEngine", "SupportDomain", "SupportEngine", logging,
        systemPackage,
      ]),
    // Of the edges, only what says which values there are: the rest brings the whole of NIO.
    module("NetworkAddress", in: "Sources/Wire", exclude: ["IPAddress+socket.swift"]),
    module(
      "EdgeSecurity", in: "Sources/Wire", ["EngineKit", "NetworkAddress", "OptionKit"],
      sources: [
        "BudgetOptions.swift", "BudgetSettings.swift", "BudgetedAction.swift", "PortMetricKeys.swift",
        "SharedSecret.swift", "TLSFiles.swift",
      ]),
    // Without the files that speak of the HTTP edge.
    module(
      "PushProviders", in: "Sources/Push", ["OptionKit", "PushDomain"],
      sources: [
        "APNs/AppleOptions.swift", "Airship/AirshipOptions.swift", "FCM/GoogleOptions.swift", "ProviderOptions.swift",
        "WebPush/WebPushOptions.swift", "Webhooks/CustomHTTPOptions.swift", "Webhooks/HTTPCallbackOptions.swift",
        "Webhooks/WebhookSettings.swift",
      ]),
    module(
      "DeviceEdge", in: "Sources/Messaging", ["EngineKit", "MCSProtocol", "OptionKit"],
      sources: [
        "Server/DeviceEdgeLimits.swift", "Server/DeviceEdgeOptions.swift", "Server/DeviceMetricKeys.swift",
        "Server/DevicePort.swift",
      ]),
    .systemLibrary(
      name: "CExpat", path: "Sources/Messaging/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    module(
      "CCSEdge", in: "Sources/Messaging",
      ["TextEncoding", "CExpat", "EngineKit", "GCMProtocol", "OptionKit", "PushDomain"],
      sources: [
        "Stream", "XML", "Server/CCSLimits.swift", "Server/CCSMetricKeys.swift", "Server/CCSOptions.swift",
        "Server/CCSPort.swift",
      ]),
    module(
      "HTTPKit", in: "Sources/Wire", ["EdgeSecurity", "EngineKit", "NetworkAddress", "OptionKit"],
      sources: [
        "Identity/IdentityPolicy.swift", "Identity/TokenOptions.swift", "Parsing/HTTPFraming.swift",
        "Parsing/HTTPMethodName.swift", "Parsing/HTTPOctet.swift", "Parsing/HTTPRequestFlaw.swift",
        "Parsing/HTTPRequestScanner.swift", "Parsing/HTTPRequestScanner+body.swift",
        "Parsing/HTTPRequestScanner+head.swift", "Settings/AccessOptions.swift",
        "Settings/EdgeLimits.swift", "Settings/EdgeMetricKeys.swift", "Settings/HTTP2Limits.swift",
        "Settings/ProxyHeader.swift", "Tokens/TokenRole.swift",
      ]),
    module(
      "ConsoleAPI", in: "Sources/Console", ["ConsoleEngine", "HTTPKit", "OptionKit"],
      sources: ["OpenID/OpenIDSettings.swift"]),
    module(
      "MessagingAPI", in: "Sources/Messaging", ["OptionKit"],
      sources: ["Settings/MessagingEdgeSettings.swift", "Settings/PublishedAddressOptions.swift"]),
    module(
      "HTTPEdge", in: "Sources/App", ["EngineKit", "HTTPKit", "MessagingAPI", "OptionKit"],
      sources: ["Server/HTTPPort.swift", "Server/Reexports.swift"]),
    // Without the files that put the HTTP edge together, and tell it what is in force.
    module(
      "CarillonConfiguration", in: "Sources/App",
      [
        "TextEncoding", "Bayeux", "CallbackDomain", "CCSEdge", "ChatDomain", "ConsoleAPI", "DeviceEdge",
        "EdgeSecurity", "Engine", "HTTPEdge", "NetworkAddress", "OptionKit", "PushProviders", "SupportDomain",
        configuration, systemPackage, yams,
      ],
      exclude: ["Wiring/LoadedConfiguration+edge.swift", "Wiring/LoadedConfiguration+inForce.swift"]),

    // The fuzzers, and what they share.
    .systemLibrary(name: "CFuzzer", path: "CFuzzer"),
    module("Fuzzing", in: ".", ["CFuzzer"]),
    fuzzer("JSON", ["JSONEnvelope"]),
    fuzzer("Bayeux", ["Bayeux", "JSONEnvelope"]),
    fuzzer("Frames", ["JournalFormat"]),
    fuzzer("LZ4", ["LZ4"]),
    fuzzer("Evidence", ["JournalFormat", "Transparency"]),
    fuzzer("HTTP", ["HTTPKit"]),
    fuzzer(
      "Events",
      [
        "Engine", "EntityRuntime", "EventSourcing", "CallbackDomain", "ChatDomain", "PushDomain", "StorageDomain",
        "SupportDomain",
      ]),
    fuzzer("Configuration", ["CarillonConfiguration", "OptionKit"]),
    fuzzer("XMPP", ["CCSEdge", "GCMProtocol"]),
    fuzzer("MCS", ["MCSProtocol", protobuf]),
    fuzzer("Standby", ["JournalFormat", "StandbyWire"]),
    fuzzer("Downstream", ["GCMProtocol", "JSONEnvelope", "PushDomain", "EventSourcing"]),
  ],
  swiftLanguageModes: [.v6]
)
