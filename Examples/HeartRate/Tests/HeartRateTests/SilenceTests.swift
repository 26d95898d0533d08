import CoreBluetooth
import HeartRate
import Testing

@Test("The rates end when the sensor has been silent for its supervision timeout")
func aSilentSensor() async throws {
  let clock = CBSimulatedClock(seed: 8)
  let (app, far) = (CBRadio(simulated: clock), CBRadio(simulated: clock))
  let sensor = ScriptedSensor(on: far)
  let monitor = CBRadio.withDefault(app) { HeartRateMonitor(queue: DispatchQueue(label: "app")) }
  await clock.advance(by: .seconds(1))
  clock.setSignalStrength(nil, from: far, to: app)
  await clock.advance(by: .seconds(30))
  // Both rates, and the end.
  var rates: [Int] = []
  for await rate in monitor.rates { rates.append(rate) }
  #expect(rates == [72, 75])
  withExtendedLifetime((sensor, monitor)) {}
}
