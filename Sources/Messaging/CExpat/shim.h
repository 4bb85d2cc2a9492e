#pragma once
// Makes the header declare what limits entity expansion: Debian's library is built with it.
#define XML_DTD 1
#include <expat.h>
