// Prints rates of the first heart-rate sensor, by the app's code of the package HeartRate: three, or as many as the
// command line says, or fewer if the sensor disconnects.
import Foundation
import HeartRate

let argument = CommandLine.arguments.dropFirst().first ?? "3"
guard let count = Int(argument), count > 0 else {
  print("\(argument) is not a number of rates. Give one from 1 on, as in: monitor-heart-rate 60")
  exit(64)
}
let monitor = HeartRateMonitor()
for await rate in monitor.rates.prefix(count) { print(rate) }
