let latest = { second: Number.NaN, text: '' };

/** A time as metadata has it: RFC 3339, whole seconds, UTC. What is written within one second shares the text. */
export function objectTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== latest.second) latest = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return latest.text;
}
