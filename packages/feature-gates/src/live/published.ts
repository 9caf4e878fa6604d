import { fieldOf } from '../uses/transport.js';

/** What the server wants processes to run. */
export interface Published {
  readonly value: boolean;
  readonly epoch: number;
}

/**
 * The value that a Feature publishes for its gate, or undefined when it publishes
 * none, or one that differs between processes by rules this version does not know.
 */
export function readPublished(feature: unknown): { readonly gate: string; readonly published: Published } | undefined {
  const gate = fieldOf(feature, 'spec', 'gate');
  const published = readPublishedValue(fieldOf(feature, 'status', 'published'));
  return typeof gate === 'string' && published ? { gate, published } : undefined;
}

/** The `published` of a status. */
export function readPublishedValue(published: unknown): Published | undefined {
  const value = fieldOf(published, 'value');
  const rules = fieldOf(published, 'rules');
  if (typeof value !== 'boolean' || (Array.isArray(rules) && rules.length > 0)) return undefined;
  const epoch = fieldOf(published, 'epoch');
  return { value, epoch: typeof epoch === 'number' ? epoch : 0 };
}
