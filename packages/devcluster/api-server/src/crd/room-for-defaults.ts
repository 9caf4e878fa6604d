import { badRequest, statusError } from '@slipway/api-machinery/errors/status-errors';
import { valueLimit } from '@slipway/api-machinery/schema/json-scanner';
import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { type Growth, growthByDefaults } from './default-growth.js';

/** Bytes that etcd takes at most. */
const maxBytes = 1.5 * 1024 * 1024;

const growths = new WeakMap<object, number>();

/**
 * Checks, before an object is made larger by the defaults of its schema, that it would not be larger than may be stored.
 * @throws StatusError in the words of a real server, which makes the object first
 */
export function requireRoomForDefaults(
  object: object,
  { version, kind }: { readonly version: string; readonly kind: string },
  schema: JsonSchema,
): void {
  const growth = growthByDefaults(object, schema);
  if (growth.characters > maxBytes) throw statusError(500, undefined, 'etcdserver: request is too large');
  if (growth.values > valueLimit) {
    const why = `its schema has defaults for ${growth.values} more values, and ${valueLimit} is the most`;
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
  }
  growths.set(object, growth.characters);
}

/** Whether the defaults of a schema have room in a value. */
export function hasRoomForDefaults(value: unknown, schema: JsonSchema): boolean {
  const { characters, values }: Growth = growthByDefaults(value, schema);
  return characters <= maxBytes && values <= valueLimit;
}

/** Characters that defaults added to an object. */
export function grownByDefaults(object: object): number {
  return growths.get(object) ?? 0;
}
