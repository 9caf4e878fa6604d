/**
 * Flags of V8 for a process that ends within seconds: a function is optimised after nine times as much work as usual, without code of
 * others in it, and without the passes over it that take longest. Empty for engines in which they were not tried.
 */
export function shortRunFlags(engine: string): readonly string[] {
  if (!/^1[12]\./.test(engine)) return [];
  const lessWork = ['--no-turbo-load-elimination', '--no-turbo-escape', '--no-turbo-loop-peeling'];
  return ['--interrupt-budget=600000', '--max-inlined-bytecode-size-cumulative=0', ...lessWork];
}

/**
 * Tells the engine that this process ends soon. It optimises on other threads: without this, a check of some hundred proposals, which
 * are over before that pays, takes half as much processor time again.
 */
export function expectShortRun(): void {
  const flags = shortRunFlags(process.versions.v8);
  if (flags.length > 0) process.getBuiltinModule('node:v8').setFlagsFromString(flags.join(' '));
}
