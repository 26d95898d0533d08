import BluetoothHost
import Testing
import VirtualRadio

@testable import struct BluetoothHost.Host

extension Stage {
  /// Checks the invariants between faults, when no packet is waiting.
  func expectHealthy(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!isStuck, sourceLocation: sourceLocation)
    let links = radio.connectionHandles.count
    #expect(host.connectionCount == links, "connections", sourceLocation: sourceLocation)
    #expect(
      radio.isAdvertising == (links < capacity), "advertising with \(links) of \(capacity)",
      sourceLocation: sourceLocation)
    #expect(
      host.radio == (links < capacity ? .advertising : .silent), sourceLocation: sourceLocation)
    #expect(
      host.controller.inFlight == 0, "buffers not given back", sourceLocation: sourceLocation)
    #expect(
      radio.counters.packetsBeyondCredits == 0, "packets beyond the buffers",
      sourceLocation: sourceLocation)
    #expect(radio.counters.oversizedPackets == 0, sourceLocation: sourceLocation)
    #expect(radio.counters.malformedPackets == 0, sourceLocation: sourceLocation)
    #expect(radio.counters.unansweredCommands == 0, sourceLocation: sourceLocation)
    if let deadline = host.deadline {
      #expect(deadline > now, "a deadline that has passed", sourceLocation: sourceLocation)
    }
  }
}
