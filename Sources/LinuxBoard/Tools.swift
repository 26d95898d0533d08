// A client that needs only the libraries turns the trait off, and does not fetch Yams and
// swift-argument-parser. This target and the program do not compile then.
#if !Tools
  #error("eightball needs the trait Tools; build a library alone: --product CoreBluetooth")
#endif
