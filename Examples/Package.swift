// swift-tools-version: 6.3
import PackageDescription

let coreBluetooth: [Target.Dependency] = [
  .product(name: "CoreBluetooth", package: "eightball", condition: .when(platforms: [.linux]))
]

let package = Package(
  name: "examples",
  dependencies: [
    // In your project: .package(url: "https://…", from: "…")
    .package(name: "eightball", path: ".."),
    .package(name: "heart-rate", path: "HeartRate"),
  ],
  targets: [
    .target(name: "InPractice", dependencies: coreBluetooth),
    .executableTarget(name: "practice-peripheral", dependencies: ["InPractice"]),
    .executableTarget(name: "practice-central", dependencies: ["InPractice"]),
    .executableTarget(
      name: "ask-a-ball", dependencies: [.product(name: "EightBallKit", package: "eightball")]),
    .executableTarget(
      name: "be-a-ball", dependencies: [.product(name: "EightBallKit", package: "eightball")]),
    .executableTarget(name: "hundred-line-ball", dependencies: coreBluetooth),
    .executableTarget(name: "echo-channel", dependencies: coreBluetooth),
    .executableTarget(name: "fill-channel", dependencies: coreBluetooth),
    .executableTarget(name: "keep-a-secret", dependencies: coreBluetooth),
    .executableTarget(name: "read-a-secret", dependencies: coreBluetooth),
    .executableTarget(
      name: "monitor-heart-rate",
      dependencies: [.product(name: "HeartRate", package: "heart-rate")]),
    // Unchanged sources from Apple's systems. They compile here without a warning.
    .testTarget(
      name: "PortedTests", dependencies: coreBluetooth,
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
