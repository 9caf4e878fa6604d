/**
 * Optimised code without code of others in it, and without the passes over it that take longest. Regular expressions become machine
 * code at once, and not bytecode before: most are used more than once.
 */
const lessWork = [
  '--max-inlined-bytecode-size-cumulative=0',
  '--no-turbo-load-elimination',
  '--no-turbo-escape',
  '--no-turbo-loop-peeling',
  '--no-regexp-tier-up',
];

/** By the first number of the version of V8; in version 11 a function is also optimised after nine times as much work as usual. */
const flagsOf: Readonly<Record<string, readonly string[]>> = {
  '11': ['--interrupt-budget=600000', ...lessWork],
  '12': lessWork,
  '13': lessWork,
};

/**
 * Flags of V8 for a process that ends within seconds: it spends less on code that runs for a moment. Empty for engines in which they
 * were not tried: one that does not know a flag says so on stderr.
 */
export function shortRunFlags(engine: string): readonly string[] {
  return flagsOf[engine.split('.')[0] ?? ''] ?? [];
}

/**
 * Tells the engine that this process ends soon. It optimises on other threads: without this, a check of some hundred proposals, which
 * are over before that pays, takes half as much processor time again.
 */
export function expectShortRun(): void {
  const flags = shortRunFlags(process.versions.v8);
  if (flags.length > 0) process.getBuiltinModule('node:v8').setFlagsFromString(flags.join(' '));
}
