// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "battery",
  dependencies: [
    // The path of the checkout.
    .package(name: "eightball", path: "../..")
  ],
  targets: [
    .target(
      name: "Battery",
      dependencies: [
        .product(name: "BluetoothHost", package: "eightball"),
        .product(name: "LinuxRadio", package: "eightball"),
      ]),
    .testTarget(
      name: "BatteryTests",
      dependencies: [
        "Battery",
        .product(name: "BluetoothHost", package: "eightball"),
        .product(name: "VirtualRadio", package: "eightball"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
