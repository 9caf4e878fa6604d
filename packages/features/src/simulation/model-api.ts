import {
  type Clock,
  failureStatus,
  type KubeObject,
  type KubeRequest,
  type KubeResponse,
  type Transport,
} from '@slipway/kube';
import { type InMemoryApi, inMemoryApi } from '@slipway/kube/testing';
import { ValidatingPolicy } from '../api/admission-kinds.js';

/** Who sent a request that was carried out. */
export type Witness = (request: KubeRequest, sender: string) => void;

/** Objects that use features, in the simplest form: a field of `spec`. */
export const widgets = { group: 'acme.io', plural: 'widgets', kind: 'Widget' } as const;

/** How long after it was made a policy is asked about writes. */
const policyLagMs = 1_500;

/**
 * The API server of the simulation: what is stored is stored in memory; admission
 * policies take a moment to come into force, and are asked only when a write
 * comes in, however much later it is stored.
 */
export class ModelApi {
  readonly memory: InMemoryApi;
  readonly #clock: Clock;
  readonly #witnesses: Witness[] = [];
  readonly #policiesMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.memory = inMemoryApi({ clock });
  }

  /** Called after every write that was carried out. */
  onWrite(witness: Witness): void {
    this.#witnesses.push(witness);
  }

  /** The way to the API for one sender. */
  transport(sender: string): Transport {
    return {
      request: (request) => this.#request(request, sender),
      stream: (request, signal) => this.memory.stream(request, signal),
    };
  }

  /** The policy that keeps a widget from using a field that it did not use before. */
  guardAgainst(object: KubeObject, before: KubeObject | undefined): string | undefined {
    const policies = this.memory.stored(ValidatingPolicy).filter(({ metadata: { name = '' } }) => {
      const sinceMs = this.#policiesMs.get(name);
      return sinceMs !== undefined && sinceMs + policyLagMs <= this.#clock.monotonicMs();
    });
    const guarding = policies.find(({ spec }) =>
      fieldsOf(object).some((field) => !uses(before, field) && JSON.stringify(spec).includes(field)),
    );
    return guarding?.metadata.name;
  }

  async #request(request: KubeRequest, sender: string): Promise<KubeResponse> {
    if (request.path === '/api' || request.path === '/apis') return discovery(request.path);
    const isTrial = request.method === 'POST' && request.path.includes(`/${widgets.plural}`);
    const guard = isTrial ? this.guardAgainst(request.body as KubeObject, undefined) : undefined;
    if (guard !== undefined) return denied(guard);
    const answer = await this.memory.request(request);
    if (request.method === 'GET' || answer.status >= 400) return answer;
    this.#notePolicies();
    for (const witness of this.#witnesses) witness(request, sender);
    return answer;
  }

  #notePolicies(): void {
    const names = new Set(this.memory.stored(ValidatingPolicy).map(({ metadata: { name = '' } }) => name));
    for (const name of this.#policiesMs.keys()) if (!names.has(name)) this.#policiesMs.delete(name);
    for (const name of names) {
      if (!this.#policiesMs.has(name)) this.#policiesMs.set(name, this.#clock.monotonicMs());
    }
  }
}

/** Whether a widget uses the feature of a field. */
export function uses(object: KubeObject | undefined, field: string): boolean {
  return object?.spec?.[field] !== undefined;
}

function fieldsOf({ spec }: KubeObject): readonly string[] {
  return Object.keys((spec ?? {}) as object).filter((field) => field !== 'size');
}

function denied(policy: string): KubeResponse {
  const message = `ValidatingAdmissionPolicy '${policy}' denied request`;
  return { status: 422, headers: {}, body: failureStatus({ code: 422, reason: 'Invalid', message }) };
}

function discovery(path: string): KubeResponse {
  const resource = (group: string, plural: string, kind: string, scope = 'Namespaced') => ({
    resource: plural,
    responseKind: { group, version: 'v1', kind },
    scope,
    singularResource: kind.toLowerCase(),
    verbs: ['list', 'patch'],
  });
  const { group } = ValidatingPolicy;
  const policies = ['Policy', 'PolicyBinding'].map((kind) =>
    resource(
      group,
      `validatingadmission${kind.toLowerCase().replace(/y$/, 'ie')}s`,
      `ValidatingAdmission${kind}`,
      'Cluster',
    ),
  );
  const groups = [
    {
      metadata: { name: widgets.group },
      versions: [{ version: 'v1', resources: [resource(widgets.group, widgets.plural, widgets.kind)] }],
    },
    { metadata: { name: group }, versions: [{ version: 'v1', resources: policies }] },
  ];
  return { status: 200, headers: {}, body: { kind: 'APIGroupDiscoveryList', items: path === '/apis' ? groups : [] } };
}
