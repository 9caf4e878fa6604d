const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * A duration as kubectl's tables show it: two units while it is short, one later
 * on; `2m5s`, `3h12m`, `47h`, `5d3h`, `400d`, `2y40d`.
 */
export function humanDuration(ms: number): string {
  if (ms <= -2 * second) return '<invalid>';
  if (ms < 0) return '0s';
  if (ms < 2 * minute) return `${Math.floor(ms / second)}s`;
  if (ms < 10 * minute) return twoUnits(ms, minute, 'm', second, 's');
  if (ms < 3 * hour) return `${Math.floor(ms / minute)}m`;
  if (ms < 8 * hour) return twoUnits(ms, hour, 'h', minute, 'm');
  if (ms < 2 * day) return `${Math.floor(ms / hour)}h`;
  if (ms < 8 * day) return twoUnits(ms, day, 'd', hour, 'h');
  if (ms < 2 * 365 * day) return `${Math.floor(ms / day)}d`;
  if (ms < 8 * 365 * day) return twoUnits(ms, 365 * day, 'y', day, 'd');
  return `${Math.floor(ms / (365 * day))}y`;
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)}${largeName}`;
  return rest === 0 ? whole : `${whole}${rest}${smallName}`;
}

/** Formats the age of a timestamp for a table; `<unknown>` without a timestamp. */
export function timeSince(timestamp: string | null | undefined, nowMs: number): string {
  const at = timestamp ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration(nowMs - at);
}
