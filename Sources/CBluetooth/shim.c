#include "CBluetooth.h"
