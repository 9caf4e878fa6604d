import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `90s`, `1m30s` or `2h` as milliseconds. A bare number is refused: its unit would be a guess. */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError(`"${text}" is not a duration (try 60s or 5m)`);
  }
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
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
