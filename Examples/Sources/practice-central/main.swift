import Dispatch
import Foundation
import InPractice

/// Ends the program after the disconnection.
final class ExitingHandler: EventHandler {
  private let printer = PrintingHandler()

  func handle(_ event: Event) {
    printer.handle(event)
    switch event {
    case .disconnected: exit(0)
    case .connectionFailed: exit(1)
    default: return
    }
  }
}

let central = PracticeCentral(handler: ExitingHandler(), queue: .main)
dispatchMain()
