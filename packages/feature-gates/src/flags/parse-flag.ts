import { FeatureGateError } from '../gate/feature-gate-error.js';

const spellings = new Map<string, boolean>([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/**
 * Reads the value of `--feature-gates`: `A=true,B=false`. Blanks around names and
 * values do not count, empty items are skipped, the last of two equal names wins.
 * Throws a FeatureGateError at the first item it cannot read, in upstream's words.
 */
export function parseFlag(value: string): Map<string, boolean> {
  const settings = new Map<string, boolean>();
  for (const item of value.split(',')) {
    if (item === '') continue;
    const equals = item.indexOf('=');
    if (equals < 0) throw new FeatureGateError([`missing bool value for ${item.trim()}`]);
    const gate = item.slice(0, equals).trim();
    const text = item.slice(equals + 1).trim();
    const setting = spellings.get(text);
    if (setting === undefined) {
      const why = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
      throw new FeatureGateError([`invalid value of ${gate}=${text}, err: ${why}`]);
    }
    settings.set(gate, setting);
  }
  return settings;
}
