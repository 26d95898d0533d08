import BluetoothHost
import Testing
import VirtualRadio

@Suite("The ball is shut down")
struct ShutDownTests {
  @Test("Links are closed, advertising stops, and no packet follows", arguments: 0...4)
  func shutDown(_ count: Int) throws {
    let stage = try Stage<4>()
    let phones = try (0..<count).map { _ in try stage.connectedPhone() }
    #expect(!stage.isShutDown)
    stage.host.shutDown()
    stage.run(within: 2_000) { stage.isShutDown }
    #expect(stage.isShutDown)
    stage.settle()
    #expect(!stage.radio.isAdvertising)
    #expect(stage.radio.connectionHandles == [])
    for phone in phones {
      #expect(phone.ending == .remoteUserTerminatedConnection)
    }
    let before = stage.sent.count
    stage.run(for: 60_000)
    #expect(stage.sent.count == before)
    #expect(stage.host.radio == .silent)
  }

  @Test("The ball can be shut down at any moment of an ask")
  func anyMoment() throws {
    for moment in 0..<400 {
      let stage = try Stage<2>()
      let asker = stage.ask("Will it rain?")
      var isOver = false
      for _ in 0..<moment where !isOver {
        if !stage.carryOne() {
          isOver = asker.isFinished || !stage.passTime(until: stage.now.advanced(by: 10_000))
        }
      }
      stage.host.shutDown()
      stage.run(within: 10_000) { stage.isShutDown }
      #expect(stage.isShutDown, "after \(moment) packets")
      stage.settle()
      #expect(!stage.radio.isAdvertising, "after \(moment) packets")
      #expect(stage.radio.connectionHandles == [], "after \(moment) packets")
      if isOver { break }
    }
  }

  @Test("The ball can be shut down while the controller is silent, gone or starting")
  func silent() throws {
    let stage = try Stage<4>()
    _ = try stage.connectedPhone()
    stage.radio.faults.leaveUnanswered(times: 100)
    stage.host.shutDown()
    #expect(stage.run(within: 60_000) { stage.isShutDown })

    let gone = try Stage<4>()
    gone.ballVanishes()
    gone.host.shutDown()
    #expect(gone.isShutDown)

    let early = try Stage<4>(isStarted: false)
    early.host.start(at: early.now)
    for _ in 0..<5 { _ = early.carryOne() }
    early.host.shutDown()
    early.settle()
    #expect(early.isShutDown)
    #expect(!early.radio.isAdvertising)
  }
}
