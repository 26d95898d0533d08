import BluetoothHost
import Linux

/// The signal strengths of the advertisers that were reported last: bluetoothd has those of a discovery only while it
/// lasts, and a link has none of its own.
struct ReportedAdvertisers {
  private struct Entry {
    var address: InlineArray<6, UInt8>
    var rssi: Int8
  }

  private var entries = InlineArray<16, Entry?>(repeating: nil)
  /// The entry to use for the next advertiser that has none.
  private var next = 0

  /// Keeps the signal strength of an advertiser in dBm, instead of its last one or of another advertiser's.
  mutating func note(_ advertiser: DeviceAddress, rssi: Int8) {
    let index = index(of: advertiser) ?? next
    if index == next { next = (next &+ 1) % entries.count }
    entries[index] = Entry(address: advertiser.bytes, rssi: rssi)
  }

  /// The last signal strength of an advertiser in dBm; `nil` if it is not known. The kind of its address does not count.
  func rssi(of advertiser: DeviceAddress) -> Int8? {
    index(of: advertiser).flatMap { entries[$0]?.rssi }
  }

  private func index(of advertiser: DeviceAddress) -> Int? {
    for index in entries.indices {
      if let entry = entries[index],
        DeviceAddress(kind: advertiser.kind, bytes: entry.address) == advertiser
      {
        return index
      }
    }
    return nil
  }
}
