/** `Time` of meta/v1: RFC 3339 in UTC, to the second. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `MicroTime` of meta/v1: RFC 3339 in UTC with six digits, as leases carry it. */
export function microTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
