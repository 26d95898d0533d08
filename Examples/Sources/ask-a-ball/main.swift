import EightBallKit

let central = BallCentral()
for await event in central.events {
  if case .discovered(let ball) = event {
    print(try await ball.ask("Will it rain?"))
    break
  }
}
