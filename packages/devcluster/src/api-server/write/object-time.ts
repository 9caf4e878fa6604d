/** A time as metadata has it: RFC 3339, whole seconds, UTC. */
export function objectTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
