import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { writingJson } from '@slipway/api-machinery/json/json-in-slices';
import { type KubeObject, stringifyJson } from '@slipway/kube';

/** Texts of parts of objects that are about to be stored. Each is used once. */
const texts = new WeakMap<object, string>();

/**
 * Encodes the parts of a frozen object in slices, so that storing it need not encode it at once. The metadata gets its
 * version only then; of it, the managed fields may be large.
 */
export function* encodingParts({ metadata, ...fields }: KubeObject): Resumable<void> {
  for (const part of [...Object.values(fields), metadata.managedFields]) {
    if (typeof part === 'object' && part !== null && Object.isFrozen(part)) texts.set(part, yield* writingJson(part));
  }
}

/** As `stringifyJson`, with the parts that are encoded already. */
export function stringifyOfParts(object: KubeObject): string {
  return ofParts(object, (name, part) =>
    name === 'metadata' ? ofParts(part, (_, inner) => textOf(inner)) : textOf(part),
  );
}

function ofParts(object: object, textOfPart: (name: string, part: object) => string): string {
  const fields: string[] = [];
  for (const [name, part] of Object.entries(object)) {
    if (part === undefined) continue;
    const text = typeof part === 'object' && part !== null ? textOfPart(name, part) : stringifyJson(part);
    fields.push(`${stringifyJson(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

function textOf(part: object): string {
  const text = texts.get(part);
  texts.delete(part);
  return text ?? stringifyJson(part);
}
