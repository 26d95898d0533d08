import NIOCore
import NIOPosix

/// Asks with child processes, one at a time for each page, and a few in total. Used only on the
/// loop's thread.
final class Asker {
  /// The most questions at once.
  static let mostAtOnce = 4

  private let threads: NIOThreadPool
  private let loop: any EventLoop
  private let children: AskChildren
  private var pages: Set<Int> = []

  /// - Parameter threads: `mostAtOnce` threads that wait for the children.
  init(threads: NIOThreadPool, loop: any EventLoop, children: AskChildren) {
    self.threads = threads
    self.loop = loop
    self.children = children
  }

  /// Asks. Replies with the last line of the child, or why it printed none.
  func ask(
    _ question: String, by central: AskingCentral, page: Int,
    reply: @escaping @Sendable (Reply) -> Void
  ) {
    guard !pages.contains(page) else {
      return reply(.detail(.tooManyRequests, "This page's last question is still on its way."))
    }
    guard pages.count < Self.mostAtOnce else {
      return reply(.detail(.tooManyRequests, "Other pages are asking; try again."))
    }
    pages.insert(page)
    let arguments = central.arguments(question: question)
    let children = self.children
    let own = NIOLoopBound(self, eventLoop: loop)
    threads.runIfActive(eventLoop: loop) { children.run(arguments) }
      .whenComplete { result in
        own.value.pages.remove(page)
        reply(Self.reply(to: result))
      }
  }

  private static func reply(to result: Result<AskChildren.End, any Error>) -> Reply {
    switch result {
    case .success(.said(let line)): .json(.ok, line)
    case .success(.silent(let words)): .detail(.badGateway, words)
    case .failure: .detail(.serviceUnavailable, "The panel is ending.")
    }
  }
}
