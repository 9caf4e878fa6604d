import type { Kube, KubeObject } from '@slipway/kube';
import { ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import { authorPolicyObjects } from './author-policy.js';

/** How long what was read counts. */
const freshMs = 10_000;

/** The policy that vouches for authors: since when it is there as it should be, or what is wrong with it. */
type State = { readonly sinceMs: number } | { readonly problem: string };

/** Reads whether the admission policy that vouches for authors is installed, and bound to every namespace. */
export class AuthorPolicyState {
  readonly #kube: Kube;
  #read: { readonly state: State; readonly untilMs: number } | undefined;

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  /** Why the author of a definition or Feature cannot be relied on; undefined when it can. */
  async problem(signal: AbortSignal, createdWith?: KubeObject): Promise<string | undefined> {
    const state = await this.#state(signal);
    if ('problem' in state) return `${state.problem}; to install it: slipway install`;
    const createdMs = Date.parse(createdWith?.metadata.creationTimestamp ?? '');
    if (!createdWith || createdMs >= state.sinceMs) return undefined;
    return 'it was created before the policy that vouches for its author; delete it and create it again';
  }

  async #state(signal: AbortSignal): Promise<State> {
    const nowMs = this.#kube.clock.monotonicMs();
    if (this.#read && this.#read.untilMs > nowMs) return this.#read.state;
    const state = await this.#fetch(signal);
    this.#read = { state, untilMs: nowMs + freshMs };
    return state;
  }

  async #fetch(signal: AbortSignal): Promise<State> {
    const [policy, binding] = authorPolicyObjects();
    const pairs = [
      [ValidatingPolicy, policy],
      [ValidatingBinding, binding],
    ] as const;
    const since: number[] = [];
    for (const [resource, wanted] of pairs) {
      const name = wanted.metadata.name ?? '';
      const stored = await this.#kube.resource(resource).find({ name }, signal);
      const what = `${resource.kind} ${name}`;
      if (!stored || stored.metadata.deletionTimestamp) return { problem: `the ${what} is missing` };
      if (!holds(stored.spec, wanted.spec)) return { problem: `the ${what} is not the one that slipway installs` };
      since.push(Date.parse(stored.metadata.creationTimestamp ?? ''));
    }
    return { sinceMs: Math.max(...since) };
  }
}

/** What the API server's defaulting sets in a policy or binding that does not say. */
const defaults: Readonly<Record<string, unknown>> = {
  namespaceSelector: {},
  objectSelector: {},
  matchPolicy: 'Equivalent',
  scope: '*',
};

/** Whether `stored` is `wanted` and nothing more: another selector or condition would let writes past. */
function holds(stored: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(stored) && stored.length === wanted.length && wanted.every((one, at) => holds(stored[at], one))
    );
  }
  if (typeof wanted !== 'object' || wanted === null) return stored === wanted;
  if (typeof stored !== 'object' || stored === null) return false;
  const [have, want] = [stored as Record<string, unknown>, wanted as Record<string, unknown>];
  const more = Object.keys(have).filter((key) => want[key] === undefined);
  return (
    Object.keys(want).every((key) => holds(have[key], want[key])) &&
    more.every((key) => key in defaults && JSON.stringify(have[key]) === JSON.stringify(defaults[key]))
  );
}
