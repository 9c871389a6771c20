#include "wr_test.h"

int main(void) { return wr_test_run(); }
