import { fieldOf } from '../uses/transport.js';
import { type CanaryMember, covers, readRules } from './canary-rules.js';

/** What the server wants a process to run. */
export interface Published {
  readonly value: boolean;
  readonly epoch: number;
  /** For processes that start: those that run keep what they have until they are restarted. */
  readonly atStart?: boolean | undefined;
}

/** Who asks what is published. */
export interface Follower extends CanaryMember {
  readonly component: string;
}

/**
 * Reads what a Feature publishes for its gate: a value, `own` for the component whose own flags decide it,
 * `withdrawn` when a server has seen the Feature and publishes none. Undefined before that, or when the rules are
 * unknown to this version.
 */
export function readPublished(
  feature: unknown,
  follower: Follower,
): { readonly gate: string; readonly published: Published | 'own' | 'withdrawn' } | undefined {
  const gate = fieldOf(feature, 'spec', 'gate');
  const status = fieldOf(feature, 'status', 'published');
  const isSeen = typeof fieldOf(feature, 'status', 'observedGeneration') === 'number';
  if (typeof gate === 'string' && status === undefined && isSeen) return { gate, published: 'withdrawn' };
  const published = readPublishedValue(status);
  const rules = readRules(fieldOf(status, 'rules'));
  if (typeof gate !== 'string' || !published || !rules) return undefined;
  const authority = fieldOf(status, 'authority');
  if (authority === follower.component) return { gate, published: 'own' };
  const rule = rules.find((one) => covers(one, gate, follower));
  const atStart = authority !== undefined && { atStart: true };
  return { gate, published: { ...published, ...(rule && { value: rule.value }), ...atStart } };
}

/** Value and epoch of a status, or of the file they are kept in. */
export function readPublishedValue(published: unknown): Published | undefined {
  const value = fieldOf(published, 'value');
  if (typeof value !== 'boolean') return undefined;
  const epoch = fieldOf(published, 'epoch');
  const atStart = fieldOf(published, 'atStart') === true && { atStart: true };
  return { value, epoch: typeof epoch === 'number' ? epoch : 0, ...atStart };
}
