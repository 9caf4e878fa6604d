import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** One measured number beside the one a user would otherwise have, from the same run. */
export interface Measured {
  /** What was measured, for example `durable creates/s, 64 clients`. */
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** What it stands beside: a peer, a floor or the target of the issue. */
  readonly anchor?: { readonly name: string; readonly value: number };
  /** Whether more is better; decides how the ratio reads. */
  readonly better: 'more' | 'less';
}

/** Prints the rows with their ratios and writes `bench/results/<name>.json`. Asserts nothing. */
export function report(name: string, rows: readonly Measured[]): void {
  const results = fileURLToPath(new URL('../../results/', import.meta.url));
  mkdirSync(results, { recursive: true });
  const machine = { node: process.version, cpus: cpus().length, memoryBytes: totalmem() };
  const lines = rows.map((row) => {
    const anchor = row.anchor
      ? `   ${row.anchor.name}: ${show(row.anchor.value)} ${row.unit}   ratio ${ratio(row)}`
      : '';
    return `${row.what}: ${show(row.value)} ${row.unit}${anchor}\n`;
  });
  process.stdout.write(`${name}\n${lines.map((line) => `  ${line}`).join('')}`);
  writeFileSync(`${results}${name}.json`, `${JSON.stringify({ name, machine, rows }, null, 2)}\n`);
}

/** The value at fraction `q` of sorted samples. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Above 1 is better than the anchor, whichever way the number counts. */
function ratio({ value, anchor, better }: Measured): string {
  if (!anchor) return '';
  return (better === 'more' ? value / anchor.value : anchor.value / value).toFixed(2);
}

function show(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
