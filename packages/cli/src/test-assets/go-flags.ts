/** Flags of a program that reads them as Go programs do: their values by name, the last of each. */
export type FlagValues = ReadonlyMap<string, string>;

/** A word of the command line is not usable. The message is one line for people. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/**
 * Reads `--name=value`, `--name value`, and `--name` of a switch, which is `true`.
 * @param known whether a flag exists, and whether it is a switch
 * @throws FlagError for a flag that does not exist, one without a value, and a word that belongs to no flag
 */
export function readGoFlags(
  words: readonly string[],
  known: (name: string) => 'value' | 'switch' | undefined,
): FlagValues {
  const values = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, name, , inWord] = /^--?([^=]+)(=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) throw new FlagError(`unknown argument: ${word}`);
    const kind = known(name);
    if (kind === undefined) throw new FlagError(`unknown flag: --${name}`);
    const value = inWord ?? (kind === 'switch' ? 'true' : words[++index]);
    if (value === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    values.set(name, value);
  }
  return values;
}
