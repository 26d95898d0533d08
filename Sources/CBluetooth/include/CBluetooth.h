// The functions are declared in Swift: Sources/Linux/CBluetooth.swift.
#pragma once
