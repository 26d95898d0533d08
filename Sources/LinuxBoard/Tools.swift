// A client that needs the libraries alone turns the trait off, and fetches neither Yams nor
// swift-argument-parser. This target and the program do not compile then.
#if !Tools
  #error("eightball needs the trait Tools; build a library alone: --product CoreBluetooth")
#endif
