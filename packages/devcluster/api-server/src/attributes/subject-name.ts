import type { Attributes } from './admission.js';

/** The name of the object of a request, as refusals of admission have it. */
export function subjectName({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
