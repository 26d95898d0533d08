// swift-tools-version: 6.3
import PackageDescription

/// The page of a running ball, and the metrics of balls. A package of its own: SwiftNIO takes minutes
/// to build and to fetch, and no other package needs it.
let package = Package(
  name: "panel-server",
  dependencies: [
    .package(name: "eightball", path: ".."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "eightball-panel",
      dependencies: [
        .product(name: "BallControl", package: "eightball"),
        .product(name: "BluetoothHost", package: "eightball"),
        .product(name: "EightBall", package: "eightball"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      resources: [.embedInCode("Page/panel.html")],
      swiftSettings: [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")])
  ],
  swiftLanguageModes: [.v6]
)
