import CLinux
import Glibc
import Testing

@testable import LinuxSystem

@Suite("The declarations of CLinux in Swift")
struct CLinuxTests {
  /// This compiles only while both declare the same types.
  @Test("have the header's types")
  func types() {
    func areAlike<Function>(_ header: Function, _ ours: Function) -> Bool { true }
    #expect(areAlike(CLinux.clinux_create_queue, LinuxSystem.clinux_create_queue))
    #expect(areAlike(CLinux.clinux_control, LinuxSystem.clinux_control))
    #expect(unsafe areAlike(CLinux.clinux_wait, LinuxSystem.clinux_wait))
    #expect(unsafe areAlike(CLinux.clinux_open_signals, LinuxSystem.clinux_open_signals))
    #expect(areAlike(CLinux.clinux_open_bell, LinuxSystem.clinux_open_bell))
    #expect(areAlike(CLinux.clinux_accept, LinuxSystem.clinux_accept))
  }

  @Test("have the header's numbers")
  func numbers() {
    #expect(
      [Epoll.add, Epoll.delete, Epoll.modify] == [EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD])
    #expect(
      [Epoll.in, Epoll.out, Epoll.error, Epoll.hangUp, Epoll.edgeTriggered]
        == [EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLET].map(\.rawValue))
  }
}
