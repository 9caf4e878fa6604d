#!/usr/bin/env node
// No flag of V8 here: under one, V8 compiles the modules of Node again, whose code Node brings along.
require('../dist/lib/start.cjs');
