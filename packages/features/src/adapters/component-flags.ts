/** What the command line of a component says of its gates. */
export interface ComponentFlags {
  /** Values of flags, the last one wins. */
  readonly featureGates: ReadonlyMap<string, boolean>;
  /** A file that may set more of them, which is not seen from here: `--config`. */
  readonly configFile?: string | undefined;
}

const on = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const off = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/**
 * Reads the arguments of a process: `--feature-gates=A=true,B=false`, the value in
 * the argument behind it, the flag repeated, and a shell line that starts the
 * program. What the component itself could not read is passed over: it does not run then.
 */
export function readComponentFlags(argv: readonly string[]): ComponentFlags {
  const words = argv.some((word) => /\s--[a-z]/.test(word)) ? argv.flatMap(shellWords) : argv;
  const featureGates = new Map(valuesOf(words, 'feature-gates').flatMap(gateSettings));
  const configFile = valuesOf(words, 'config').at(-1);
  return { featureGates, ...(configFile !== undefined && { configFile }) };
}

/** Reads the value of `--feature-gates`: `A=true,B=false`. */
export function gateSettings(value: string): readonly (readonly [string, boolean])[] {
  return value.split(',').flatMap((item) => {
    const equals = item.indexOf('=');
    const [gate, text] = [item.slice(0, Math.max(0, equals)).trim(), item.slice(equals + 1).trim()];
    const isKnown = gate !== '' && (on.has(text) || off.has(text));
    return isKnown ? [[gate, on.has(text)] as const] : [];
  });
}

function valuesOf(words: readonly string[], flag: string): readonly string[] {
  return words.flatMap((word, index) => {
    if (word.startsWith(`--${flag}=`)) return [word.slice(flag.length + 3)];
    const next = words[index + 1];
    return word === `--${flag}` && next !== undefined ? [next] : [];
  });
}

/** Words of a line as a shell splits it, without its quotes. */
function shellWords(line: string): readonly string[] {
  const found = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return found.map((word) => word.replace(/["']/g, ''));
}
