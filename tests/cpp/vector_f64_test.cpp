// cpu/vector*.h with as many lanes as f64 fills a register with.
#define MYTRITON_F64
#define SUITE VectorF64
#include "vector_memory_checks.h"
#include "vector_row_checks.h"
