import { isJsonObject } from '@slipway/api-machinery/json/json-value';

/** A string that is equal for equal JSON values, whatever the order of their names, and different for others. */
export function identityOf(value: unknown): string {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value !== 'object' || value === null) return `${typeof value} ${value}`;
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    return isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  });
}
