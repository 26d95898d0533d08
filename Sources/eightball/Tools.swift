// A client that needs only the libraries turns the trait off, and does not fetch
// swift-argument-parser. The program does not compile then.
#if !Tools
  #error("eightball needs the trait Tools; build a library alone: --product CoreBluetooth")
#endif
