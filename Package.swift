// swift-tools-version: 6.2
import PackageDescription

// What each module may import is written down here and enforced by the build
// (`--explicit-target-dependency-import-check error`, see the Makefile): arrows point from the rim to the core.

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func module(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: strict)
}

func tests(_ name: String, in folder: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies,
    path: (["Tests", folder, name] as [String?]).compactMap(\.self).joined(separator: "/"),
    swiftSettings: strict)
}

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK: Target.Dependency = .product(name: "NIOHPACK", package: "swift-nio-http2")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let collections: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

let package = Package(
  name: "carillon",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "carillon", targets: ["carillon"]),
    .executable(name: "carillon-bench", targets: ["carillon-bench"]),
    .executable(name: "carillon-torture", targets: ["carillon-torture"]),
    .executable(name: "carillon-simulate", targets: ["carillon-simulate"]),
    .library(name: "CarillonClient", targets: ["CarillonClient"]),
  ],
  dependencies: [
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
  ],
  targets: [
    // Journal: knows bytes, not chats.
    .systemLibrary(name: "CLZ4", path: "Journal/CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .target(name: "CChecksum", path: "Journal/CChecksum"),
    module("JournalFormat", in: "Journal", ["LZ4", "CChecksum", crypto]),
    module("LZ4", in: "Journal", ["CLZ4"]),
    module("Transparency", in: "Journal", ["JournalFormat"]),
    module("Journal", in: "Journal", ["JournalFormat", "Transparency", systemPackage]),

    // Kernel: entities, and what they live on.
    module("EventSourcing", in: "Sources/Kernel"),
    module("TextEncoding", in: "Sources/Kernel", [crypto]),
    module("OptionKit", in: "Sources/Kernel"),
    module("EntityRuntime", in: "Sources/Kernel", ["EventSourcing", collections]),
    module(
      "EngineKit", in: "Sources/Kernel",
      [
        "EntityRuntime", "EventSourcing", "Journal", "JournalFormat", "OptionKit", "TextEncoding", coreMetrics, logging,
        metrics,
        systemPackage,
      ]),

    // Wire: what all that goes over a network shares.
    .systemLibrary(name: "CZlib", path: "Sources/Wire/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    module("Gzip", in: "Sources/Wire", ["CZlib"]),
    module("JSONEnvelope", in: "Sources/Wire"),
    module("NetworkAddress", in: "Sources/Wire", [nioCore]),
    module(
      "EdgeSecurity", in: "Sources/Wire",
      ["EngineKit", "NetworkAddress", "OptionKit", nioSSL, logging, metrics, lifecycle]),
    module(
      "ServerKit", in: "Sources/Wire",
      ["EdgeSecurity", "EngineKit", "NetworkAddress", nioCore, nioPosix, nioSSL, logging, metrics, lifecycle]),
    module(
      "HTTPKit", in: "Sources/Wire",
      [
        "EdgeSecurity", "EngineKit", "EntityRuntime", "EventSourcing", "Gzip", "JSONEnvelope", "NetworkAddress",
        "OptionKit", "ServerKit",
        "TextEncoding", asyncHTTPClient, crypto, cryptoExtras, httpTypes, hummingbird, jwtKit, lifecycle, logging,
        metrics, nioCore, nioHPACK, nioHTTP1, nioHTTP2, nioPosix, nioSSL, nioTLS, nioWebSocket,
      ]),
    module("HTTP2Client", in: "Sources/Wire", [nioCore, nioPosix, nioTLS, nioHTTP2, nioHPACK, nioSSL]),
    module("PrometheusMetrics", in: "Sources/Wire", [coreMetrics]),

    // Comet.
    module("Bayeux", in: "Sources/Comet", ["JSONEnvelope"]),
    module(
      "CometEngine", in: "Sources/Comet",
      [
        "Bayeux", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "OptionKit", collections, coreMetrics,
        metrics,
      ]),
    module(
      "CometEdge", in: "Sources/Comet",
      [
        "Bayeux", "CometEngine", "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope",
        "NetworkAddress", "ServerKit",
        httpTypes, hummingbird, nioCore, nioHTTP1, nioWebSocket,
      ]),

    // Push.
    module("PushDomain", in: "Sources/Push", ["EventSourcing", "OptionKit", heap]),
    module("WebPushEncryption", in: "Sources/Push", ["TextEncoding", crypto]),
    module(
      "PushEngine", in: "Sources/Push",
      [
        "Bayeux", "CometEngine", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "OptionKit",
        "PushDomain", "TextEncoding", coreMetrics, crypto, logging, metrics,
      ]),
    module(
      "PushProviders", in: "Sources/Push",
      [
        "TextEncoding", "OptionKit", "PushDomain", "EventSourcing", "JSONEnvelope", "HTTP2Client", "NetworkAddress",
        "WebPushEncryption",
        asyncHTTPClient, jwtKit, nioCore, nioPosix, nioHTTP1, nioHPACK, nioSSL, crypto,
      ]),
    module(
      "PushAPI", in: "Sources/Push",
      [
        "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope", "PushDomain", "PushEngine", httpTypes,
        hummingbird,
      ]),

    // Chat.
    module("ChatDomain", in: "Sources/Chat", ["EventSourcing"]),
    module("TextSearch", in: "Sources/Chat"),
    module(
      "ChatEngine", in: "Sources/Chat",
      [
        "Bayeux", "ChatDomain", "CometEngine", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope",
        "OptionKit", "PushDomain", "PushEngine", "TextSearch", collections, logging,
      ]),

    module(
      "ChatAPI", in: "Sources/Chat",
      [
        "ChatDomain", "ChatEngine", "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope",
        "PushDomain", httpTypes, hummingbird,
      ]),
    module(
      "AgentEdge", in: "Sources/Chat",
      [
        "ChatAPI", "EdgeSecurity", "HTTPKit", "JSONEnvelope", "NetworkAddress", "ServerKit", httpTypes, logging,
        nioCore, nioHTTP1, nioWebSocket,
      ]),

    // Messaging.
    .systemLibrary(
      name: "CExpat", path: "Sources/Messaging/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    module("GCMProtocol", in: "Sources/Messaging", ["JSONEnvelope", "PushDomain", "EventSourcing"]),
    .target(
      name: "MCSProtocol", dependencies: [protobuf], path: "Sources/Messaging/MCSProtocol",
      exclude: ["Proto/checkin.proto", "Proto/mcs.proto"], swiftSettings: strict),
    module(
      "MessagingEngine", in: "Sources/Messaging",
      [
        "TextEncoding", "EngineKit", "EntityRuntime", "EventSourcing", "GCMProtocol", "JSONEnvelope", "OptionKit",
        "PushDomain",
        "PushEngine",
        "WebPushEncryption", crypto,
      ]),
    .target(
      name: "DeviceEdge",
      dependencies: [
        "EdgeSecurity", "EngineKit", "EntityRuntime", "EventSourcing", "HTTPKit", "JSONEnvelope", "MCSProtocol",
        "MessagingEngine", "NetworkAddress", "OptionKit", "PushDomain", "ServerKit", "TextEncoding", nioCore, nioHTTP1,
        nioPosix, nioWebSocket, logging, metrics, lifecycle,
      ],
      path: "Sources/Messaging/DeviceEdge", exclude: ["Socket/DEVICE-SOCKET.md"], swiftSettings: strict),
    module(
      "CCSEdge", in: "Sources/Messaging",
      [
        "TextEncoding", "CExpat", "EdgeSecurity", "EngineKit", "GCMProtocol", "JSONEnvelope", "MessagingEngine",
        "NetworkAddress", "OptionKit",
        "PushDomain", "ServerKit",
        "EventSourcing", nioCore, nioPosix, logging, metrics, lifecycle,
      ]),
    module(
      "MessagingAPI", in: "Sources/Messaging",
      [
        "EdgeSecurity", "EngineKit", "EntityRuntime", "EventSourcing", "GCMProtocol", "HTTPKit", "JSONEnvelope",
        "MCSProtocol",
        "MessagingEngine", "NetworkAddress", "OptionKit", "PushDomain", "TextEncoding", crypto, httpTypes, hummingbird,
        logging, nioCore, nioHTTP1,
      ]),

    // Callback.
    module("CallbackDomain", in: "Sources/Callback", ["EventSourcing"]),
    module(
      "CallbackEngine", in: "Sources/Callback",
      [
        "CallbackDomain", "ChatDomain", "ChatEngine", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope",
        "OptionKit", "PushDomain", "PushEngine", coreMetrics, logging, metrics,
      ]),
    module(
      "CallbackAPI", in: "Sources/Callback",
      [
        "CallbackDomain", "CallbackEngine", "ChatAPI", "ChatDomain", "ChatEngine", "EdgeSecurity", "EngineKit",
        "EntityRuntime", "EventSourcing", "HTTPKit", "JSONEnvelope", "PushDomain", httpTypes, hummingbird,
      ]),

    // Notification.
    module(
      "NotificationEngine", in: "Sources/Notification",
      [
        "ChatDomain", "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "OptionKit", "PushDomain",
        "PushEngine",
        logging,
      ]),
    module(
      "NotificationAPI", in: "Sources/Notification",
      [
        "EdgeSecurity", "EventSourcing", "HTTPKit", "JSONEnvelope", "NotificationEngine", "PushDomain",
        httpTypes, hummingbird,
      ]),

    // Storage.
    module("StorageDomain", in: "Sources/Storage", ["EventSourcing"]),
    module(
      "StorageEngine", in: "Sources/Storage",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "Journal", "OptionKit", "StorageDomain", "TextEncoding", crypto,
        logging,
        systemPackage,
      ]),
    module(
      "StorageAPI", in: "Sources/Storage",
      [
        "ChatAPI", "ChatDomain", "EdgeSecurity", "EngineKit", "HTTPKit", "JSONEnvelope", "StorageEngine", httpTypes,
        hummingbird,
      ]),

    // Files in chats.
    module(
      "FileEngine", in: "Sources/Files",
      [
        "ChatDomain", "ChatEngine", "EngineKit", "EntityRuntime", "EventSourcing", "OptionKit", "StorageEngine",
        logging,
      ]),
    module(
      "FileAPI", in: "Sources/Files",
      [
        "ChatAPI", "ChatDomain", "ChatEngine", "EdgeSecurity", "EngineKit", "FileEngine", "HTTPKit", "JSONEnvelope",
        "StorageAPI", httpTypes, hummingbird,
      ]),

    // Support.
    module("SupportDomain", in: "Sources/Support", ["EventSourcing"]),
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
      "SupportAPI", in: "Sources/Support",
      [
        "ChatAPI", "ChatEngine", "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope", "OptionKit",
        "StorageAPI", "StorageEngine", "SupportDomain", "SupportEngine", httpTypes, hummingbird,
      ]),

    // Audit.
    module(
      "AuditEngine", in: "Sources/Audit",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "JSONEnvelope", "Journal", "JournalFormat", "OptionKit",
        "TextEncoding", "Transparency", coreMetrics, crypto, logging, metrics, systemPackage,
      ]),
    module(
      "AuditAPI", in: "Sources/Audit",
      [
        "AuditEngine", "ChatAPI", "ChatDomain", "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope",
        "Journal", "JournalFormat", "Transparency", httpTypes, hummingbird,
      ]),
    module(
      "EvidenceEdge", in: "Sources/Audit",
      [
        "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "Journal", "JournalFormat", "ServerKit",
        "Transparency", httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioPosix,
        systemPackage,
      ]),

    // Console. Its pages lie in the folder of the module that serves them: only so does the build see that one is new.
    .executableTarget(name: "PageEmbedder", path: "Sources/Console/PageEmbedder", swiftSettings: strict),
    .plugin(
      name: "EmbedPages", capability: .buildTool(), dependencies: ["PageEmbedder"], path: "Sources/Console/EmbedPages"),
    .target(
      name: "ConsolePages", dependencies: ["TextEncoding", crypto], path: "Sources/Console",
      exclude: ["CONSOLE.md", "ConsoleAPI", "ConsoleEngine", "EmbedPages", "PageEmbedder", "Pages"],
      sources: ["ConsolePages"], swiftSettings: strict, plugins: [.plugin(name: "EmbedPages")]),
    module(
      "ConsoleEngine", in: "Sources/Console", ["EngineKit", "EntityRuntime", "EventSourcing", "OptionKit"]),
    module(
      "ConsoleAPI", in: "Sources/Console",
      [
        "ConsoleEngine", "ConsolePages", "EdgeSecurity", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope",
        "NetworkAddress", "OptionKit", "TextEncoding", httpTypes, hummingbird,
      ]),

    // Cluster.
    module("StandbyWire", in: "Sources/Cluster", ["JSONEnvelope", "JournalFormat"]),
    module(
      "StandbyFollower", in: "Sources/Cluster",
      [
        "JSONEnvelope", "Journal", "JournalFormat", "StandbyWire", "TextEncoding", asyncHTTPClient, nioCore, nioHTTP1,
        nioPosix, nioSSL, systemPackage,
      ]),
    module(
      "StandbyEngine", in: "Sources/Cluster",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "Journal", "JournalFormat", "OptionKit", "StandbyWire",
        coreMetrics, logging, metrics, systemPackage,
      ]),
    module(
      "StandbyAPI", in: "Sources/Cluster",
      ["HTTPKit", "JSONEnvelope", "JournalFormat", "StandbyEngine", "StandbyWire", httpTypes, hummingbird]),

    module(
      "Backup", in: "Sources/Cluster",
      [
        "EventSourcing", "Journal", "JournalFormat", "StandbyEngine", "StandbyWire", "StorageDomain", "TextEncoding",
        crypto, systemPackage,
      ]),

    // Client. Of the one for browsers the scripts lie beside the module that serves them, as the console's pages do.
    .target(
      name: "ClientAPI", dependencies: ["HTTPKit", httpTypes, hummingbird], path: "Sources/Client/JavaScript",
      exclude: [
        "Example", "JAVASCRIPT.md", "carillon-widget.js", "carillon-worker.js", "carillon.d.ts", "carillon.js",
        "package.json",
      ],
      sources: ["ClientAPI"], swiftSettings: strict, plugins: [.plugin(name: "EmbedPages")]),
    module(
      "CarillonClient", in: "Sources/Client",
      [
        "TextEncoding", "Bayeux", "JSONEnvelope", "JournalFormat", "Transparency", nioCore, nioPosix, nioHTTP1,
        nioWebSocket,
      ]),

    // App: the one list of all that. jemalloc takes the place of malloc in the executables: messages are allocated on one
    // thread and freed on another, which costs glibc's allocator a fifth of the server's time.
    module(
      "Engine", in: "Sources/App",
      [
        "AuditEngine", "Bayeux", "CallbackDomain", "CallbackEngine", "ChatDomain", "ChatEngine", "CometEngine",
        "ConsoleEngine", "EngineKit", "EntityRuntime", "EventSourcing", "FileEngine", "Journal", "MessagingEngine",
        "NotificationEngine", "OptionKit", "PushDomain",
        "PushEngine", "StandbyEngine", "StorageDomain", "StorageEngine", "SupportDomain", "SupportEngine", logging,
        systemPackage,
      ]),
    .target(
      name: "HTTPEdge",
      dependencies: [
        "AgentEdge", "CometEdge", "DeviceEdge", "EdgeSecurity", "Engine", "EngineKit", "EntityRuntime", "EventSourcing",
        "HTTPKit",
        "JSONEnvelope",
        "AuditAPI", "ChatAPI", "ChatDomain", "CallbackDomain", "MessagingAPI", "PushAPI", "PushDomain", "SupportDomain",
        "CallbackAPI", "ClientAPI", "ConsoleAPI", "FileAPI", "NotificationAPI", "StandbyAPI", "StorageAPI",
        "SupportAPI", "Journal", "OptionKit",
        "ServerKit",
        hummingbird, httpTypes, nioCore, nioHTTP1, logging,
      ],
      path: "Sources/App/HTTPEdge", swiftSettings: strict),
    .systemLibrary(
      name: "CJemalloc", path: "Sources/App/CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    module(
      "CarillonConfiguration", in: "Sources/App",
      [
        "TextEncoding", "Bayeux", "CallbackDomain", "CCSEdge", "ChatDomain", "ConsoleAPI", "DeviceEdge",
        "EdgeSecurity", "Engine", "HTTPEdge", "NetworkAddress",
        "OptionKit",
        "PushProviders", "SupportDomain",
        configuration, systemPackage, yams,
      ]),
    module("ProcessControl", in: "Sources/App"),
    module("Supervision", in: "Sources/App"),
    .executableTarget(
      name: "carillon",
      dependencies: [
        "AuditAPI", "Backup", "Bayeux", "CCSEdge", "CJemalloc", "CarillonClient", "CarillonConfiguration", "ConsoleAPI",
        "ConsolePages", "DeviceEdge", "EdgeSecurity", "Engine", "EntityRuntime", "EventSourcing", "EvidenceEdge",
        "HTTPEdge", "HTTPKit", "JSONEnvelope", "Journal", "JournalFormat", "NetworkAddress",
        "OptionKit", "ProcessControl", "PrometheusMetrics", "PushDomain", "PushProviders", "ServerKit",
        "StandbyFollower", "StandbyWire", "Supervision", "SupportAPI", "SupportDomain", "TextEncoding", "Transparency",
        argumentParser, asyncHTTPClient, coreMetrics, crypto, metrics, lifecycle, logging, nioCore, nioHTTP1, nioPosix,
        nioSSL, systemPackage, unixSignals,
      ],
      path: "Sources/App/carillon", swiftSettings: strict),

    // Benchmarks.
    module("BenchReport", in: "Benchmarks", ["JSONEnvelope", histogram]),
    module("PeerFormats", in: "Benchmarks"),
    module("Conservation", in: "Benchmarks", ["CarillonClient", "JSONEnvelope", nioCore, nioPosix]),
    .executableTarget(
      name: "carillon-bench",
      dependencies: [
        "Bayeux", "BenchReport", "CJemalloc", "CallbackDomain", "CarillonClient", "ChatDomain", "Conservation",
        "Engine",
        "EntityRuntime",
        "EventSourcing", "GCMProtocol", "HTTP2Client", "HTTPKit", "JSONEnvelope", "Journal", "JournalFormat",
        "MCSProtocol", "PeerFormats", "ProcessControl", "PrometheusMetrics", "PushDomain", "PushProviders",
        "SupportDomain", "TextSearch", "Transparency",
        argumentParser, coreMetrics, logging, nioCore, nioHPACK, nioHTTP1, nioPosix, nioSSL, systemPackage,
      ],
      path: "Benchmarks/carillon-bench", swiftSettings: strict),

    // Tests: a folder for each module, then the whole.
    .target(name: "TestSupport", dependencies: [logging], path: "Tests/TestSupport", swiftSettings: strict),
    module("ScriptedClients", in: "Tests", ["Bayeux", "CometEngine", "JSONEnvelope", "PushDomain"]),
    module("SimulatedDisk", in: "Tests", ["TestSupport", "Journal", systemPackage]),
    module("StoreConformance", in: "Tests", ["TestSupport", "Journal", "JournalFormat"]),
    module(
      "Simulation", in: "Tests",
      [
        "TestSupport", "SimulatedDisk", "Engine", "EntityRuntime", "EventSourcing", "Bayeux", "JSONEnvelope",
        "ChatDomain", "CallbackDomain", "PushDomain", "SupportDomain", "GCMProtocol", "Journal", "JournalFormat",
        "ProcessControl", "Transparency", logging,
        systemPackage,
      ]),
    .executableTarget(
      name: "carillon-simulate", dependencies: ["Simulation"], path: "Tests/Simulate", swiftSettings: strict),
    .executableTarget(
      name: "carillon-torture",
      dependencies: [
        "SimulatedDisk", "TestSupport", "Journal", "JournalFormat", "Engine", "EntityRuntime", "EventSourcing",
        "Bayeux", "CarillonClient", "JSONEnvelope", "ChatDomain", "ProcessControl", "PushDomain", "StandbyWire",
        "Transparency", argumentParser, logging, nioCore, nioPosix, systemPackage,
      ],
      path: "Tests/Torture", swiftSettings: strict),
    tests("TortureTests", ["carillon-torture", "JournalFormat", "TestSupport"]),
    tests("SimulatedDiskTests", ["SimulatedDisk", "Journal", "TestSupport", systemPackage]),
    tests("TextEncodingTests", in: "Kernel", ["TextEncoding"]),
    tests("OptionKitTests", in: "Kernel", ["OptionKit"]),
    tests("EventSourcingTests", in: "Kernel", ["TestSupport", "EventSourcing"]),
    tests("JSONEnvelopeTests", in: "Wire", ["JSONEnvelope"]),
    tests("BayeuxTests", in: "Comet", ["Bayeux", "JSONEnvelope"]),
    tests("ChatDomainTests", in: "Chat", ["TestSupport", "ChatDomain", "EventSourcing"]),
    tests("TextSearchTests", in: "Chat", ["TestSupport", "TextSearch"]),
    tests("CallbackDomainTests", in: "Callback", ["TestSupport", "CallbackDomain", "EventSourcing"]),
    tests("StorageDomainTests", in: "Storage", ["StorageDomain", "EventSourcing"]),
    tests("SupportDomainTests", in: "Support", ["TestSupport", "SupportDomain", "EventSourcing"]),
    tests("PushDomainTests", in: "Push", ["TestSupport", "PushDomain", "EventSourcing"]),
    tests("GCMProtocolTests", in: "Messaging", ["GCMProtocol", "JSONEnvelope", "PushDomain", "EventSourcing"]),
    tests("MCSProtocolTests", in: "Messaging", ["MCSProtocol", protobuf]),
    tests("WebPushEncryptionTests", in: "Push", ["WebPushEncryption", "StandInSupport", crypto]),
    tests(
      "JournalTests", in: "Journal",
      ["StoreConformance", "TestSupport", "Journal", "JournalFormat", "LZ4", "Transparency", systemPackage]),
    tests(
      "TransparencyTests", in: "Journal",
      ["TestSupport", "StandInSupport", "ProcessControl", "Transparency", "JournalFormat"]),
    tests("EntityRuntimeTests", in: "Kernel", ["TestSupport", "EntityRuntime", "EventSourcing"]),
    // A server of these four, and nothing else.
    tests(
      "ChatEngineTests", in: "Chat",
      [
        "Bayeux", "ChatDomain", "ChatEngine", "CometEngine", "EngineKit", "EntityRuntime", "EventSourcing",
        "JSONEnvelope", "PushDomain", "PushEngine", "ScriptedClients", "SimulatedDisk", "TestSupport", logging,
        systemPackage,
      ]),
    // A whole engine without an edge, room by room.
    module(
      "EngineRigs", in: "Tests",
      [
        "Bayeux", "CallbackDomain", "ChatDomain", "Engine", "EngineKit", "EntityRuntime", "EventSourcing",
        "GCMProtocol", "JSONEnvelope", "Journal", "JournalFormat", "MessagingEngine", "PushDomain", "PushEngine",
        "ScriptedClients", "SupportDomain", "SupportEngine", logging, systemPackage,
      ]),
    tests(
      "EngineKitTests", in: "Kernel",
      [
        "CallbackDomain", "ChatDomain", "Engine", "EngineKit", "EntityRuntime", "EventSourcing", "OptionKit",
        "TestSupport", logging,
      ]),
    tests(
      "CometEngineTests", in: "Comet",
      ["Bayeux", "CometEngine", "Engine", "EngineKit", "EngineRigs", "JSONEnvelope", "ScriptedClients", "TestSupport"]),
    tests(
      "PushEngineTests", in: "Push",
      [
        "ChatDomain", "Engine", "EngineRigs", "EntityRuntime", "EventSourcing", "JSONEnvelope", "Journal", "PushDomain",
        "PushEngine", "ScriptedClients", "SimulatedDisk", logging, systemPackage,
      ]),
    tests(
      "ChatServiceTests", in: "Chat",
      [
        "CallbackDomain", "ChatDomain", "ChatEngine", "Engine", "EngineKit", "EngineRigs", "EntityRuntime",
        "EventSourcing",
        "JSONEnvelope", "Journal", "PushDomain", "ScriptedClients", "StorageDomain", "SupportDomain",
        "TextSearch", systemPackage,
      ]),
    tests("AgentEdgeTests", in: "Chat", ["AgentEdge", "ChatAPI", "HTTPKit", "JSONEnvelope"]),
    tests(
      "MessagingEngineTests", in: "Messaging",
      [
        "Engine", "EngineKit", "EngineRigs", "EventSourcing", "GCMProtocol", "MessagingEngine", "PushDomain",
        "TestSupport",
      ]),
    tests("MessagingAPITests", in: "Messaging", ["HTTPKit", "MessagingAPI", "MessagingEngine"]),
    tests(
      "CallbackEngineTests", in: "Callback",
      [
        "CallbackDomain", "CallbackEngine", "ChatDomain", "ChatEngine", "Engine", "EngineKit", "EngineRigs",
        "EntityRuntime", "EventSourcing", "PushDomain", "TestSupport",
      ]),
    tests(
      "CallbackAPITests", in: "Callback",
      [
        "CallbackAPI", "CallbackDomain", "CallbackEngine", "EngineKit", "EventSourcing", "HTTPKit", "JSONEnvelope",
        httpTypes,
      ]),
    tests(
      "NotificationEngineTests", in: "Notification",
      [
        "Engine", "EngineRigs", "EntityRuntime", "EventSourcing", "Journal", "JournalFormat", "NotificationEngine",
        "PushDomain", systemPackage,
      ]),
    tests(
      "StorageEngineTests", in: "Storage",
      [
        "ChatDomain", "Engine", "EngineRigs", "EntityRuntime", "EventSourcing", "SimulatedDisk", "StorageDomain",
        "StorageEngine", systemPackage,
      ]),
    tests(
      "FileEngineTests", in: "Files",
      [
        "AuditEngine", "ChatDomain", "ChatEngine", "Engine", "EngineKit", "EngineRigs", "EntityRuntime",
        "EventSourcing",
        "FileEngine", "JSONEnvelope", "ScriptedClients", "StorageEngine", systemPackage,
      ]),
    tests(
      "SupportEngineTests", in: "Support",
      [
        "Bayeux", "CometEngine", "Engine", "EngineRigs", "EntityRuntime", "EventSourcing", "JSONEnvelope", "PushDomain",
        "ScriptedClients", "SupportDomain", "SupportEngine", "TestSupport", systemPackage,
      ]),
    tests(
      "SupportAPITests", in: "Support",
      ["HTTPKit", "JSONEnvelope", "SupportAPI", "SupportDomain", "SupportEngine", httpTypes]),
    tests(
      "AuditEngineTests", in: "Audit",
      [
        "AuditEngine", "Bayeux", "CallbackDomain", "ChatDomain", "CometEngine", "Engine", "EngineKit", "EngineRigs",
        "EntityRuntime", "EventSourcing", "EvidenceSamples", "GCMProtocol", "JSONEnvelope", "Journal", "JournalFormat",
        "MessagingEngine", "PushDomain", "ScriptedClients", "SimulatedDisk", "StorageDomain", "SupportDomain",
        "SupportEngine",
        "TestSupport", "Transparency", systemPackage,
      ]),
    module(
      "EvidenceSamples", in: "Tests",
      ["AuditEngine", "EngineKit", "EvidenceEdge", "JournalFormat", "TestSupport", "Transparency"]),
    tests(
      "EvidenceEdgeTests", in: "Audit",
      [
        "EdgeSecurity", "EvidenceEdge", "EvidenceSamples", "HTTPKit", "Journal", "JournalFormat", "ServerKit",
        "SimulatedDisk", "StandInSupport", "Transparency", asyncHTTPClient, logging, nioCore, nioHTTP1, nioSSL,
        systemPackage,
      ]),
    tests(
      "EngineTests", in: "App",
      [
        "CallbackDomain", "CallbackEngine", "ChatDomain", "Engine", "EngineKit", "EngineRigs", "EntityRuntime",
        "EventSourcing", "JSONEnvelope", "Journal", "JournalFormat", "PushDomain", "PushEngine", "ScriptedClients",
        "SimulatedDisk", "SupportDomain", "SupportEngine", "Transparency", crypto, logging, systemPackage,
      ]),
    tests(
      "StandbyWireTests", in: "Cluster", ["JSONEnvelope", "JournalFormat", "StandbyWire", "TestSupport"]),
    tests("StandbyAPITests", in: "Cluster", ["HTTPKit", "JSONEnvelope", "StandbyAPI", "StandbyWire", httpTypes]),
    tests(
      "StandbyFollowerTests", in: "Cluster",
      [
        "Journal", "JournalFormat", "SimulatedDisk", "StandbyFollower", "StandbyWire", "TestSupport", systemPackage,
      ]),
    tests(
      "StandbyEngineTests", in: "Cluster",
      [
        "EngineKit", "EntityRuntime", "EventSourcing", "Journal", "JournalFormat", "StandbyEngine", "StandbyWire",
        logging, systemPackage,
      ]),
    tests(
      "BackupTests", in: "Cluster",
      ["Backup", "EventSourcing", "Journal", "JournalFormat", "StandbyWire", "StorageDomain", systemPackage]),
    tests("ConsolePagesTests", in: "Console", ["ConsolePages"]),
    tests(
      "ConsoleEngineTests", in: "Console",
      ["ConsoleEngine", "Engine", "EngineRigs", "EngineKit", "EntityRuntime", "EventSourcing", "TestSupport"]),
    .target(
      name: "StandInSupport", dependencies: ["ProcessControl"], path: "Tests/StandInSupport", swiftSettings: strict),
    tests(
      "HTTP2ClientTests", in: "Wire", ["HTTP2Client", "StandInSupport", nioCore, nioPosix, nioSSL, nioHTTP2, nioHPACK]),
    tests(
      "PushProvidersTests", in: "Push",
      [
        "TextEncoding", "PushProviders", "PushDomain", "EventSourcing", "JSONEnvelope", "HTTP2Client", "NetworkAddress",
        "StandInSupport", asyncHTTPClient, jwtKit, nioCore, nioPosix, nioHTTP1, nioHPACK, nioSSL, crypto, logging,
      ]),
    tests("GzipTests", in: "Wire", ["Gzip"]),
    tests("PrometheusMetricsTests", in: "Wire", ["PrometheusMetrics", coreMetrics, metrics]),
    tests(
      "EdgeSecurityTests", in: "Wire",
      ["EdgeSecurity", "NetworkAddress", "StandInSupport", nioCore, nioPosix, nioSSL, logging]),
    tests(
      "HTTPKitTests", in: "Wire",
      [
        "EdgeSecurity", "EngineKit", "EventSourcing", "Gzip", "HTTPKit", "JSONEnvelope", "NetworkAddress", "ServerKit",
        "TestSupport", httpTypes,
        hummingbird, logging, nioCore, nioEmbedded, nioHPACK, nioHTTP1, nioHTTP2, nioTLS, nioWebSocket,
      ]),
    tests(
      "ServerKitTests", in: "Wire",
      ["ServerKit", "EdgeSecurity", "NetworkAddress", nioCore, nioEmbedded, nioPosix]),
    tests(
      "HTTPEdgeTests", in: "App",
      [
        "TextEncoding", "HTTPEdge", "AgentEdge", "AuditAPI", "AuditEngine", "Bayeux", "CarillonClient", "ChatAPI",
        "ClientAPI", "CometEdge", "ConsoleAPI",
        "ConsoleEngine", "ConsolePages", "DeviceEdge", "FileAPI", "FileEngine",
        "MessagingAPI",
        "PushAPI", "Engine", "EngineKit", "ChatDomain",
        "CallbackDomain",
        "PushDomain", "SupportDomain", "StorageAPI", "SupportAPI",
        "EntityRuntime", "EventSourcing", "EvidenceSamples", "Gzip", "JSONEnvelope", "Journal", "JournalFormat",
        "GCMProtocol", "MCSProtocol", "EdgeSecurity", "NetworkAddress", "ServerKit", "SimulatedDisk", "StandbyAPI",
        "StandbyEngine",
        "StandbyWire", "StandInSupport", "TestSupport",
        "Transparency", httpTypes,
        jwtKit, crypto, lifecycle, logging, nioCore, nioEmbedded, nioPosix, nioHTTP1, nioWebSocket, systemPackage,
      ]),
    tests(
      "DeviceEdgeTests", in: "Messaging",
      [
        "DeviceEdge", "EdgeSecurity", "MCSProtocol", "GCMProtocol", "Engine", "PushDomain", "EventSourcing", "Journal",
        nioCore, nioEmbedded, nioPosix, nioSSL, logging, lifecycle, protobuf, systemPackage, "ServerKit",
        "StandInSupport", "TestSupport",
      ]),
    tests(
      "CCSEdgeTests", in: "Messaging",
      [
        "CCSEdge", "EdgeSecurity", "GCMProtocol", "Engine", "PushDomain", "EventSourcing", "JSONEnvelope", "Journal",
        nioCore, nioEmbedded, nioPosix, nioSSL, logging, lifecycle, systemPackage, "ServerKit", "StandInSupport",
        "TestSupport",
      ]),
    tests(
      "CarillonClientTests", in: "Client",
      ["CarillonClient", "Bayeux", "JSONEnvelope", nioCore, nioPosix, nioHTTP1, nioWebSocket]),
    tests(
      "CarillonConfigurationTests", in: "App",
      [
        "AuditEngine", "CarillonConfiguration", "CometEngine", "ConsoleAPI", "EdgeSecurity", "Engine", "EngineKit",
        "HTTPEdge",
        "JournalFormat",
        "NetworkAddress", "OptionKit",
        "Bayeux", "Transparency", configuration,
        systemPackage,
      ]),
    tests("HouseTests", in: "App", []),
    tests("BenchReportTests", in: "Benchmarks", ["BenchReport"]),
    tests("PeerFormatsTests", in: "Benchmarks", ["PeerFormats"]),
    tests("ConservationTests", in: "Benchmarks", ["Conservation", "JSONEnvelope"]),
    tests("ProcessControlTests", in: "App", ["ProcessControl"]),
    tests("PackagingTests", in: "App", ["carillon", "CarillonConfiguration", "EngineKit", "HTTPKit"]),
    tests("SupervisionTests", in: "App", ["Supervision", "TestSupport"]),
    tests("DemoTests", in: "App", ["carillon", "CarillonClient", "JSONEnvelope", nioHTTP1]),
    tests(
      "JournalToolTests", in: "App",
      [
        "Backup", "carillon", "EntityRuntime", "EventSourcing", "FileEngine", "Journal", "JournalFormat",
        "ProcessControl", "StandbyFollower", "StandbyWire",
        systemPackage,
      ]),
    tests(
      "EvidenceToolTests", in: "App",
      [
        "carillon", "EvidenceEdge", "EvidenceSamples", "JournalFormat", "ProcessControl", "Transparency",
        asyncHTTPClient, hummingbird,
        logging, nioCore, nioHTTP1, nioPosix,
      ]),
    tests(
      "EndToEnd",
      [
        "TestSupport", "StandInSupport", "ProcessControl", "Backup", "carillon", "CarillonClient", "Conservation",
        "JSONEnvelope", "Bayeux", "Journal",
        "JournalFormat", systemPackage, nioCore, nioPosix, nioHTTP1,
      ]),
  ],
  swiftLanguageModes: [.v6]
)
