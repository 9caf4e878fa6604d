import { goQuoted } from '@slipway/api-machinery/errors/go-quoted';

/** A version as semver.org has it. */
export interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

/**
 * Reads a version; a text says why it is none, in the words of Kubernetes' library. `loose` lets a `v` stand before
 * it, and numbers be missing or begin with zeros.
 */
export function parseSemver(text: string, loose: boolean): Semver | string {
  const given = loose ? completed(text.replace(/^v/, '')) : { text };
  if (given.problem !== undefined) return given.problem;
  if (given.text === '') return 'Version string empty';
  const parts = /^([^.]*)\.([^.]*)\.([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(given.text);
  if (!parts) return 'No Major.Minor.Patch elements found';
  const [, major = '', minor = '', patch = '', pre, build] = parts;
  const problem =
    numberProblem('major', major) ??
    numberProblem('minor', minor) ??
    numberProblem('patch', patch) ??
    pre?.split('.').map(preProblem).find(isProblem) ??
    build?.split('.').map(buildProblem).find(isProblem);
  if (problem !== undefined) return problem;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: pre === undefined ? [] : pre.split('.') };
}

const largest = 18_446_744_073_709_551_615n;

function isProblem(found: string | undefined): found is string {
  return found !== undefined;
}

function numberProblem(name: string, digits: string): string | undefined {
  if (!/^\d*$/.test(digits)) return `Invalid character(s) found in ${name} number ${goQuoted(digits)}`;
  const first = name.replace(/^./, (letter) => letter.toUpperCase());
  if (/^0\d/.test(digits)) return `${first} number must not contain leading zeroes ${goQuoted(digits)}`;
  return rangeProblem(digits);
}

function rangeProblem(digits: string): string | undefined {
  const reading = `strconv.ParseUint: parsing ${goQuoted(digits)}: `;
  if (digits === '') return `${reading}invalid syntax`;
  return BigInt(digits) > largest ? `${reading}value out of range` : undefined;
}

function preProblem(part: string): string | undefined {
  if (part === '') return 'Prerelease is empty';
  if (/^0\d+$/.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${goQuoted(part)}`;
  if (/^\d+$/.test(part)) return rangeProblem(part);
  return /^[\dA-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in prerelease ${goQuoted(part)}`;
}

function buildProblem(part: string): string | undefined {
  if (part === '') return 'Build meta data is empty';
  return /^[\dA-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in build meta data ${goQuoted(part)}`;
}

function completed(text: string): { readonly text: string; readonly problem?: string } {
  const [major = '', minor, ...rest] = text.split('.');
  const given = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
  const parts = given.map((part) => {
    const digits = part.length > 1 ? part.replace(/^0+/, '') : part;
    return part.length > 1 && !/^\d/.test(digits) ? `0${digits}` : digits;
  });
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ''))
    return { text, problem: 'short version cannot contain PreRelease/Build meta data' };
  while (parts.length < 3) parts.push('0');
  return { text: parts.join('.') };
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
