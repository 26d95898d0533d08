import NIOCore
import NIOPosix

/// Starts the centrals of the pages. Used only on the loop's thread.
final class Asker {
  /// The most centrals at once: as many as a ball serves.
  static let mostAtOnce = 4

  private let threads: NIOThreadPool
  private let children: AskChildren
  let loop: any EventLoop
  private var count = 0

  /// - Parameter threads: `mostAtOnce` threads that wait for the end of the children.
  init(threads: NIOThreadPool, loop: any EventLoop, children: AskChildren) {
    self.threads = threads
    self.loop = loop
    self.children = children
  }

  /// Starts a central. `onEnd` is called once, when it has ended.
  ///
  /// - Throws: Why there is none, as a reply.
  func start(
    _ central: AskingCentral, onEnd: @escaping () -> Void
  ) throws(Obstacle) -> PageCentral {
    guard count < Self.mostAtOnce else {
      throw Obstacle(
        reply: .detail(
          .tooManyRequests,
          "\(Self.mostAtOnce) pages have a central already: disconnect one, or close its page."))
    }
    guard let child = children.start(central.arguments) else {
      throw Obstacle(reply: .detail(.badGateway, "\(central.program) cannot be started."))
    }
    count += 1
    let threads = self.threads
    let children = self.children
    return PageCentral(child, loop: loop) { [self] in
      count -= 1
      threads.submit { _ in children.reap(child.process) }
      onEnd()
    }
  }

  /// Why there is no central.
  struct Obstacle: Error {
    let reply: Reply
  }
}
