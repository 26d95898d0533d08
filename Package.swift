// swift-tools-version: 6.3
import PackageDescription

/// Unsafe code is marked. A reader needs Lifetimes to borrow the packet that it reads.
let checked: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),
]

/// The target declares C functions in Swift instead of importing their module, which every client
/// would then need: see Sources/Linux/CLinux.swift.
let cFunctions: SwiftSetting = .enableExperimentalFeature("Extern")

let package = Package(
  name: "eightball",
  products: [
    .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
    .library(name: "EightBall", targets: ["BallRunner", "EightBall"]),
    .library(name: "VirtualRadio", targets: ["VirtualBoard", "VirtualRadio"]),
    .library(name: "LinuxRadio", targets: ["LinuxAir", "LinuxRadio"]),
    // With LinuxRadio alone, a program that watches a ball does not build the virtual air.
    .library(name: "BallControl", targets: ["BallControl", "LinuxRadio"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
    .library(name: "EightBallKit", targets: ["EightBallKit"]),
    .executable(name: "eightball", targets: ["eightball"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2")
  ],
  targets: [
    // The core imports nothing, allocates nothing, and does no input or output. It compiles as
    // Embedded Swift: see `scripts/check embedded`.
    .target(
      name: "BluetoothHost",
      // `Pinned` needs RawLayout.
      swiftSettings: checked + [.enableExperimentalFeature("RawLayout")]),
    // The ball, and its boards.
    .target(name: "EightBall", dependencies: ["BluetoothHost"], swiftSettings: checked),
    .target(
      name: "BallRunner", dependencies: ["BluetoothHost", "EightBall"], swiftSettings: checked),

    // Linux without a heap: descriptors, a queue of events, radios, bonds, words for failures. It needs no
    // libgpiod, and neither do the apps of CoreBluetooth.
    .target(name: "CLinux"),
    .target(
      name: "Linux",
      dependencies: ["BluetoothHost", "CBluetooth", "CLinux"],
      swiftSettings: checked + [cFunctions]),
    // Adapters that bluetoothd drives, without a heap. A program that does not depend on it has none of its code.
    .target(name: "BlueZ", dependencies: ["BluetoothHost", "Linux"], swiftSettings: checked),
    // The ball of a service and of small machines. `scripts/build eightballd` compiles it as Embedded Swift, as
    // one module with the core.
    .target(
      name: "LinuxPort",
      dependencies: ["BallRunner", "BlueZ", "BluetoothHost", "CGPIOD", "EightBall", "Linux"],
      swiftSettings: checked),
    .executableTarget(
      name: "eightballd",
      dependencies: ["BallRunner", "BluetoothHost", "EightBall", "Linux", "LinuxPort"],
      // Smaller forms of functions of musl, for scripts/build eightballd.
      exclude: ["Static"], swiftSettings: checked),

    // The virtual air and board, and what they and real radios need of Linux.
    .target(name: "CBluetooth"),
    .target(name: "CGPIOD", linkerSettings: [.linkedLibrary("gpiod")]),
    .target(
      name: "VirtualBoard", dependencies: ["BallRunner", "BluetoothHost", "EightBall"],
      swiftSettings: checked),
    .target(
      name: "VirtualRadio", dependencies: ["BluetoothHost"], swiftSettings: checked),
    // Linux with a heap: the event loop, files, sockets, and radios by name.
    .target(
      name: "LinuxRadio", dependencies: ["BluetoothHost", "Linux"],
      swiftSettings: checked + [cFunctions]),
    // The virtual air as a server of sockets.
    .target(
      name: "LinuxAir", dependencies: ["BluetoothHost", "Linux", "LinuxRadio", "VirtualRadio"],
      swiftSettings: checked),
    // What watches a ball: its packets through the layers, and its control socket.
    .target(
      name: "BallControl",
      dependencies: ["BallRunner", "BluetoothHost", "EightBall", "Linux", "LinuxRadio"],
      swiftSettings: checked),
    // Apple's API on Linux. Apple's systems use their own, and do not build this target.
    .target(
      name: "CoreBluetooth",
      dependencies: [
        "BlueZ", "BluetoothHost", "LinuxAir", "LinuxRadio", "VirtualRadio",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: checked),
    // The SDK for apps. It uses the target above on Linux, and Apple's framework on Apple's systems.
    .target(
      name: "EightBallKit",
      dependencies: [.target(name: "CoreBluetooth", condition: .when(platforms: [.linux]))],
      swiftSettings: [.strictMemorySafety()]),
    .executableTarget(
      name: "eightball",
      dependencies: [
        "BallControl", "BallRunner", "BlueZ", "BluetoothHost", "CGPIOD", "EightBall", "Linux",
        "LinuxAir", "LinuxPort", "LinuxRadio", "VirtualBoard", "VirtualRadio",
      ],
      swiftSettings: checked),

    // scripts/benchmark counts the instructions of this program.
    .executableTarget(
      name: "host-benchmark", dependencies: ["BluetoothHost", "EightBall"],
      path: "Benchmarks/HostBenchmark", swiftSettings: checked),

    // scripts/benchmark air counts the instructions of this program.
    .executableTarget(
      name: "air-benchmark",
      dependencies: ["BluetoothHost", "LinuxAir", "LinuxRadio", "VirtualRadio"],
      path: "Benchmarks/AirBenchmark", swiftSettings: checked),

    // What a test expects, in functions: they compile sooner than macros.
    .target(name: "Expectations", path: "Tests/Expectations", swiftSettings: checked),
    // Balls, phones and devices that pair, on a virtual air at injected times.
    .target(
      name: "BallTestSupport",
      dependencies: ["BluetoothHost", "EightBall", "Expectations", "VirtualRadio"],
      path: "Tests/BallTestSupport", swiftSettings: checked),
    .testTarget(
      name: "BluetoothHostTests",
      dependencies: ["BallTestSupport", "BluetoothHost", "Expectations"],
      swiftSettings: checked),
    .testTarget(
      name: "EightBallTests",
      dependencies: [
        "BallTestSupport", "BluetoothHost", "EightBall", "Expectations", "VirtualBoard",
      ],
      // Pictures that the tests compare.
      exclude: ["Parts/Screens"], swiftSettings: checked),
    .testTarget(
      name: "BallRunnerTests",
      dependencies: [
        "BallRunner", "BallTestSupport", "BluetoothHost", "EightBall", "Expectations",
        "VirtualBoard", "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "VirtualRadioTests",
      dependencies: [
        "BluetoothHost", "Expectations", "LinuxAir", "LinuxRadio", "LinuxTestSupport",
        "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "VirtualBoardTests",
      dependencies: [
        "BallRunner", "BallTestSupport", "BluetoothHost", "EightBall", "Expectations",
        "VirtualBoard",
      ],
      swiftSettings: checked),
    // The tests of the Linux side share this.
    .target(
      name: "LinuxTestSupport",
      dependencies: [
        "BallTestSupport", "BluetoothHost", "EightBall", "Expectations", "Linux", "LinuxAir",
        "LinuxRadio", "VirtualRadio",
      ],
      path: "Tests/LinuxTestSupport", swiftSettings: checked + [cFunctions]),
    .testTarget(
      name: "LinuxRadioTests",
      dependencies: [
        "BluetoothHost", "Expectations", "Linux", "LinuxAir", "LinuxRadio", "LinuxTestSupport",
        "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "BlueZTests",
      dependencies: [
        "BallTestSupport", "BlueZ", "BluetoothHost", "EightBall", "Expectations", "Linux",
        "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "BallControlTests",
      dependencies: [
        "BallControl", "BallRunner", "BallTestSupport", "BluetoothHost", "EightBall",
        "Expectations", "LinuxRadio", "LinuxTestSupport", "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "LinuxPortTests",
      dependencies: [
        "BallRunner", "BluetoothHost", "EightBall", "eightballd", "Expectations", "Linux",
        "LinuxPort", "LinuxRadio", "LinuxTestSupport", "VirtualBoard",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "CoreBluetoothTests",
      dependencies: [
        "BluetoothHost", "CoreBluetooth", "EightBall", "Expectations", "LinuxRadio",
        "LinuxTestSupport", "VirtualRadio",
      ],
      swiftSettings: checked),
    // scripts/benchmark ask compares the time of this program with Bumble's.
    .executableTarget(
      name: "ask-benchmark", dependencies: ["CoreBluetooth", "EightBallKit"],
      path: "Benchmarks/AskBenchmark", swiftSettings: checked),
    .testTarget(
      name: "EightBallKitTests",
      dependencies: [
        "BluetoothHost", "CoreBluetooth", "EightBall", "EightBallKit", "Expectations",
        "LinuxTestSupport",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "DocsTests",
      dependencies: [
        "BallControl", "BallTestSupport", "BluetoothHost", "CoreBluetooth", "EightBall",
        "Expectations", "LinuxAir", "LinuxRadio", "LinuxTestSupport", "VirtualBoard",
        "VirtualRadio",
      ],
      swiftSettings: checked),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "BallControl", "BallRunner", "BallTestSupport", "BluetoothHost", "EightBall", "eightball",
        "eightballd", "Expectations", "Linux", "LinuxPort", "LinuxRadio",
        "LinuxTestSupport", "VirtualBoard", "VirtualRadio",
      ],
      swiftSettings: checked),
    // scripts/simulate builds this program as one module: balls, centrals and their machines on simulated time.
    .target(name: "CSimulation", path: "Tests/CSimulation"),
    .executableTarget(
      name: "Simulation",
      dependencies: [
        "BallRunner", "BluetoothHost", "CSimulation", "EightBall", "Linux", "VirtualBoard",
        "VirtualRadio",
      ],
      path: "Tests/Simulation", exclude: ["faults"], swiftSettings: checked),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["BluetoothHost", "EightBall", "Expectations", "Simulation"],
      swiftSettings: checked),
    .testTarget(
      name: "BallOnAirTests",
      dependencies: [
        "BallTestSupport", "BluetoothHost", "EightBall", "Expectations", "VirtualRadio",
      ],
      swiftSettings: checked),
  ],
  swiftLanguageModes: [.v6]
)

// `scripts/build docs` sets this variable. Without it, SwiftPM does not fetch the plugin that builds the
// documentation.
if Context.environment["EIGHTBALL_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}
