import type { JsonSchema } from '@slipway/api-machinery/schema/json-schema';
import { stringifyJson } from '@slipway/kube';
import { identityOf } from './json-identity.js';

/** The enum of a schema. */
export interface AllowedValues {
  readonly has: (identity: string) => boolean;
  /** All of them, as an error lists them. */
  readonly text: string;
}

const known = new WeakMap<JsonSchema, AllowedValues>();

/** The values that a schema lists: an enum may be long, and is looked into for every value. */
export function allowedValues(schema: JsonSchema, values: readonly unknown[]): AllowedValues {
  let allowed = known.get(schema);
  if (!allowed) {
    const identities = new Set(values.map(identityOf));
    let text: string | undefined;
    allowed = {
      has: (identity) => identities.has(identity),
      get text() {
        text ??= values.map((one) => JSON.stringify(typeof one === 'string' ? one : stringifyJson(one))).join(', ');
        return text;
      },
    };
    known.set(schema, allowed);
  }
  return allowed;
}
