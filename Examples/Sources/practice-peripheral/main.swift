import Dispatch
import InPractice

let peripheral = PracticePeripheral(handler: PrintingHandler(), queue: .main)
dispatchMain()
