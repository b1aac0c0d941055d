// cpu/vector*.h with as many lanes as f32 fills a register with.
#define SUITE Vector
#include "vector_memory_checks.h"
#include "vector_row_checks.h"
