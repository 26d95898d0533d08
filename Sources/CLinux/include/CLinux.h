// The functions are declared in Swift: Sources/Linux/CLinux.swift.
#pragma once
