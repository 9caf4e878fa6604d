import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A longer timer would fire at once in Node. */
const maxMs = 2_147_483_647;

/** Reads `90s`, `1m30s`, `1h0m0s` or `2h` as milliseconds, as Go writes durations, and days (`7d`). A bare number is rejected: its unit would be a guess. */
export function parseDuration(text: string): number {
  if (text === '0') return 0;
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError(`"${text}" is not a duration (try 60s or 5m)`);
  }
  return Math.round(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0));
}

/** Reads a duration that a timer can hold. */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms > maxMs) throw new InvalidArgumentError(`"${text}" is longer than 24 days (try 24h)`);
  return ms;
}

/** Writes milliseconds as Go does: `1m30s`, `500ms`, `1h0m0s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return ms === 0 ? '0s' : `${ms}ms`;
  const seconds = Math.round(ms % 60_000) / 1_000;
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m${seconds}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}s`;
}

/** Age as kubectl prints it: `45s`, `12m`, `5h`, `3d`. */
export function renderAge(fromIso: string | undefined, nowMs: number): string {
  if (!fromIso) return '<unknown>';
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(fromIso)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
