const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a Go duration such as `1m30s`; `otherwiseMs` when it is absent or none. */
export function durationMs(text: string | undefined, otherwiseMs: number): number {
  if (text === undefined || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return otherwiseMs;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (total, [, amount = '0', unit = 's']) => total + Number(amount) * (unitMs[unit] ?? 0),
    0,
  );
}
