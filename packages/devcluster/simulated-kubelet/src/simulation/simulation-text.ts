/** Annotations with this prefix and the name of a container say how that container behaves. */
export const simulationPrefix = 'sim.slipway.dev/';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `1m30s` and the like, up to ten years; undefined for anything else. */
export function simulatedDurationMs(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const totalMs = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
  return totalMs <= 10 * 365 * 24 * 3_600_000 ? Math.round(totalMs) : undefined;
}
