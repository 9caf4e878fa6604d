/**
 * Optimised code without code of others in it, and without the passes over it that take longest. Regular expressions become machine
 * code at once, and not bytecode before: most are used more than once. `--no-regexp-tier-up` would end V8 at one that was used already.
 */
const lessWork = [
  '--max-inlined-bytecode-size-cumulative=0',
  '--no-turbo-load-elimination',
  '--no-turbo-escape',
  '--no-turbo-loop-peeling',
  '--regexp-tier-up-ticks=0',
];

/**
 * Room for young objects grows to its largest at once, and one thread collects them: they live shorter than one proposal is checked, so that
 * there is little to collect for several.
 */
const shortLives = ['--semi-space-growth-factor=16', '--no-parallel-scavenge'];

/**
 * By the first number of the version of V8; in version 11 a function is also optimised after twice as much work as usual, and a short one no
 * sooner than others.
 */
const flagsOf: Readonly<Record<string, readonly string[]>> = {
  '11': ['--interrupt-budget=150000', '--max-bytecode-size-for-early-opt=0', ...shortLives, ...lessWork],
  '12': lessWork,
  '13': lessWork,
};

/** Flags of all these versions. */
export const marking = { paused: '--no-incremental-marking', resumed: '--incremental-marking' } as const;

/** Flags with which nothing more is optimised. */
const enoughFlagsOf: Readonly<Record<string, readonly string[]>> = { '11': ['--interrupt-budget=1000000000'] };

/**
 * Flags of V8 for a process that ends within seconds: it spends less on code that runs for a moment. Empty for engines in which they
 * were not tried: one that does not know a flag says so on stderr.
 */
export function shortRunFlags(engine: string): readonly string[] {
  return flagsOf[versionOf(engine)] ?? [];
}

/** Flags of V8 for the rest of such a process, once it has done the same work often. */
export function enoughFlags(engine: string): readonly string[] {
  return enoughFlagsOf[versionOf(engine)] ?? [];
}

function versionOf(engine: string): string {
  return engine.split('.')[0] ?? '';
}

/**
 * Tells the engine that this process ends soon. It optimises on other threads: without this, a check of some hundred proposals, which
 * are over before that pays, takes half as much processor time again.
 */
export function expectShortRun(): void {
  set(shortRunFlags(process.versions.v8));
}

/** Tells the engine to leave code as it is: what takes long was optimised by now, and for the rest it would not pay any more. */
export function optimiseNoMore(): void {
  set(enoughFlags(process.versions.v8));
}

/**
 * Keeps the engine from marking garbage while the program runs, which it does on other threads once the heap has some megabytes: a process
 * that is over in a moment does not need it.
 */
export function pauseMarking(): void {
  if (versionOf(process.versions.v8) in flagsOf) set([marking.paused]);
}

/** Ends what `pauseMarking` began, for a process that goes on. */
export function resumeMarking(): void {
  if (versionOf(process.versions.v8) in flagsOf) set([marking.resumed]);
}

function set(flags: readonly string[]): void {
  if (flags.length > 0) process.getBuiltinModule('node:v8').setFlagsFromString(flags.join(' '));
}
