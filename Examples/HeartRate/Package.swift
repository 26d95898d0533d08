// swift-tools-version: 6.3
import PackageDescription

/// Apple's systems have their own.
let coreBluetooth: Target.Dependency =
  .product(name: "CoreBluetooth", package: "eightball", condition: .when(platforms: [.linux]))

let package = Package(
  name: "heart-rate",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [.library(name: "HeartRate", targets: ["HeartRate"])],
  dependencies: [
    // The path of the checkout.
    .package(name: "eightball", path: "../..")
  ],
  targets: [
    .target(name: "HeartRate", dependencies: [coreBluetooth]),
    .testTarget(name: "HeartRateTests", dependencies: ["HeartRate", coreBluetooth]),
  ],
  swiftLanguageModes: [.v6]
)
