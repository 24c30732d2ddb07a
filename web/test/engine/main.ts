/** Shows the engine to a test in a browser: `tests/test_bench_engine.py`. */

import { openEngine, wordAt } from "../../src/engine";

Object.assign(window, { openEngine, wordAt });
