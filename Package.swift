// swift-tools-version: 6.2
import PackageDescription

/// What is unsafe is marked so. Lifetimes is what lets a reader borrow the packet it reads.
let checked: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
  name: "eightball",
  products: [
    .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
    .library(name: "BluetoothCentral", targets: ["BluetoothCentral"]),
    .library(name: "EightBall", targets: ["EightBall"]),
    .library(name: "VirtualRadio", targets: ["VirtualRadio"]),
    .library(name: "LinuxRadio", targets: ["LinuxRadio"]),
    .library(name: "LinuxSystem", targets: ["LinuxSystem"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
    .library(name: "EightBallKit", targets: ["EightBallKit"]),
    .library(name: "VirtualBoard", targets: ["VirtualBoard"]),
    .executable(name: "eightball", targets: ["eightball"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The core: no imports, no allocation, no input or output. It keeps to what Embedded Swift
    // accepts; `scripts/check-embedded` proves it.
    .target(
      name: "BluetoothHost",
      // RawLayout is for `Pinned`.
      swiftSettings: checked + [.enableExperimentalFeature("RawLayout")]),
    .target(name: "EightBall", dependencies: ["BluetoothHost"], swiftSettings: checked),

    // The other side of the link, on the same codecs.
    .target(name: "BluetoothCentral", dependencies: ["BluetoothHost"], swiftSettings: checked),

    // The virtual air, and Linux.
    .target(name: "CBluetooth"),
    .target(name: "CLinux"),
    .target(name: "CGPIOD", linkerSettings: [.linkedLibrary("gpiod")]),
    .target(name: "VirtualBoard", swiftSettings: checked),
    .target(
      name: "LinuxSystem", dependencies: ["BluetoothHost", "CLinux"], swiftSettings: checked),
    .target(
      name: "VirtualRadio", dependencies: ["BluetoothHost", "LinuxSystem"], swiftSettings: checked),
    .target(
      name: "LinuxRadio",
      dependencies: ["BluetoothHost", "CBluetooth", "LinuxSystem", "VirtualRadio"],
      swiftSettings: checked),
    // Apple's API on Linux. On Apple's systems the real one is used, and this is not built.
    .target(
      name: "CoreBluetooth",
      dependencies: [
        "BluetoothCentral", "BluetoothHost", "LinuxRadio", "LinuxSystem",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: checked),
    // The SDK for apps: on Linux on the module above, on Apple's systems on theirs.
    .target(
      name: "EightBallKit",
      dependencies: [.target(name: "CoreBluetooth", condition: .when(platforms: [.linux]))],
      swiftSettings: [.strictMemorySafety()]),
    .target(
      name: "LinuxBoard",
      dependencies: [
        "BluetoothHost", "EightBall", "CGPIOD", "LinuxRadio", "LinuxSystem", "VirtualBoard",
        "VirtualRadio",
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: checked),
    .executableTarget(
      name: "eightball",
      dependencies: [
        "BluetoothCentral", "BluetoothHost", "CoreBluetooth", "EightBall", "EightBallKit",
        "LinuxSystem", "VirtualRadio", "LinuxBoard", "LinuxRadio",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: checked),

    // What scripts/benchmark counts.
    .executableTarget(
      name: "host-benchmark", dependencies: ["BluetoothHost", "EightBall"],
      path: "Benchmarks/HostBenchmark", swiftSettings: checked),

    // What scripts/benchmark-air counts.
    .executableTarget(
      name: "air-benchmark", dependencies: ["BluetoothHost", "LinuxSystem", "VirtualRadio"],
      path: "Benchmarks/AirBenchmark", swiftSettings: checked),

    // Somebody who asks a ball, with the time injected; and random numbers that are always the same.
    .target(
      name: "BallTestSupport", dependencies: ["BluetoothCentral", "BluetoothHost"],
      path: "Tests/BallTestSupport", swiftSettings: checked),
    .testTarget(
      name: "BluetoothHostTests", dependencies: ["BluetoothHost"], swiftSettings: checked),
    .testTarget(
      name: "EightBallTests", dependencies: ["EightBall", "BluetoothHost"], swiftSettings: checked),
    .testTarget(
      name: "BluetoothCentralTests",
      dependencies: ["BallTestSupport", "BluetoothCentral", "BluetoothHost"],
      swiftSettings: checked),
    .testTarget(
      name: "VirtualRadioTests",
      dependencies: ["VirtualRadio", "BluetoothHost", "LinuxSystem"],
      swiftSettings: checked),
    .testTarget(
      name: "LinuxSystemTests", dependencies: ["BluetoothHost", "LinuxSystem"],
      swiftSettings: checked),
    .testTarget(
      name: "VirtualBoardTests", dependencies: ["VirtualBoard"], swiftSettings: checked),
    // What the tests of the Linux side share.
    .target(
      name: "LinuxTestSupport",
      dependencies: ["BluetoothHost", "EightBall", "LinuxRadio", "LinuxSystem", "VirtualRadio"],
      path: "Tests/LinuxTestSupport", swiftSettings: checked),
    .testTarget(
      name: "LinuxRadioTests",
      dependencies: [
        "BallTestSupport", "BluetoothCentral", "BluetoothHost", "EightBall", "LinuxRadio",
        "LinuxSystem", "LinuxTestSupport", "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "CoreBluetoothTests",
      dependencies: [
        "BluetoothCentral", "BluetoothHost", "CoreBluetooth", "EightBall", "LinuxRadio",
        "LinuxSystem", "LinuxTestSupport", "VirtualRadio",
      ],
      swiftSettings: checked),
    // What scripts/benchmark-ask times beside Bumble.
    .executableTarget(
      name: "ask-benchmark", dependencies: ["CoreBluetooth", "EightBallKit"],
      path: "Benchmarks/AskBenchmark", swiftSettings: checked),
    .testTarget(
      name: "EightBallKitTests",
      dependencies: [
        "BluetoothHost", "CoreBluetooth", "EightBall", "EightBallKit", "LinuxTestSupport",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "LinuxBoardTests",
      dependencies: [
        "BallTestSupport", "BluetoothCentral", "BluetoothHost", "EightBall", "LinuxBoard",
        "LinuxRadio",
        "LinuxSystem", "LinuxTestSupport", "VirtualBoard", "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "DocsTests",
      dependencies: [
        "BallTestSupport", "BluetoothHost", "EightBall", "BluetoothCentral", "CoreBluetooth",
        "VirtualRadio", "LinuxBoard", "LinuxRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "eightball", "BluetoothHost", "EightBall", "LinuxBoard", "LinuxRadio", "LinuxSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: checked),
    .testTarget(
      name: "BallOnAirTests",
      dependencies: [
        "BallTestSupport", "BluetoothHost", "EightBall", "BluetoothCentral", "VirtualRadio",
      ],
      swiftSettings: checked),
  ],
  swiftLanguageModes: [.v6]
)
