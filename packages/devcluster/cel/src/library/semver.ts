/** A version as semver.org has it. */
export interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

/** Reads a version. `loose` lets a `v` stand before it, and numbers be missing or begin with zeros. */
export function parseSemver(text: string, loose: boolean): Semver | undefined {
  const given = loose ? completed(text.trim().replace(/^v/, '')) : text;
  const found =
    /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/.exec(
      given,
    );
  if (!found) return undefined;
  const [, major = '0', minor = '0', patch = '0', pre] = found;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: pre === undefined ? [] : pre.split('.') };
}

function completed(text: string): string {
  const [, core = '', rest = ''] = /^([\d.]*)(.*)$/s.exec(text) ?? [];
  const numbers = core.split('.').map((number) => number.replace(/^0+(?=\d)/, ''));
  while (numbers.length < 3 && rest === '') numbers.push('0');
  return numbers.join('.') + rest;
}

/** The order of two versions; one that is not released yet comes before its release. */
export function compareSemver(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] as bigint;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let index = 0; index < Math.min(a.pre.length, b.pre.length); index++) {
    const order = comparePart(a.pre[index] as string, b.pre[index] as string);
    if (order !== 0) return order;
  }
  return a.pre.length - b.pre.length;
}

function comparePart(a: string, b: string): number {
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numeric[0] && numeric[1]) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
