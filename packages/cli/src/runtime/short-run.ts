/**
 * Flags of V8 for a process that ends within seconds: a function is optimised after fifteen times as much work as usual, and with less
 * code of others in it. Empty for engines in which they were not tried.
 */
export function shortRunFlags(engine: string): readonly string[] {
  return /^1[12]\./.test(engine) ? ['--interrupt-budget=2000000', '--max-inlined-bytecode-size-cumulative=200'] : [];
}

/**
 * Tells the engine that this process ends soon. It optimises on other threads: without this, a check of some hundred proposals, which
 * are over before that pays, takes half as much processor time again.
 */
export function expectShortRun(): void {
  const flags = shortRunFlags(process.versions.v8);
  if (flags.length > 0) process.getBuiltinModule('node:v8').setFlagsFromString(flags.join(' '));
}
