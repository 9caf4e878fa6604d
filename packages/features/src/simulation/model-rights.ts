import { Kube, type KubeObject, type KubeRequest, type KubeResponse, type Transport } from '@slipway/kube';
import { ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import type { Author } from '../api/author.js';
import type { FeatureDefinition } from '../api/feature-definition.js';
import { authorPolicyObjects } from '../rbac/author-policy.js';
import type { Right } from '../rbac/rights-of-step.js';
import { aCluster, type TestCluster } from '../testing/a-cluster.js';

/** What a user may do: a verb on a resource, in one namespace or (absent) everywhere. */
export type Held = Pick<Right, 'verb' | 'resource' | 'namespace'>;

/** How long what was allowed may still be done: an answer is kept for a few seconds, and a step takes its time. */
const graceMs = 8_000;
const groupName = 'features.slipway.dev';
const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
const guardedVerbs = ['create', 'update', 'delete'];
/** What a feature server reads and writes for itself. */
const itsOwn = [
  ...['events', 'leases', 'nodes', 'pods', 'configmaps'],
  ...['subjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectreviews'],
];

interface Period<T> {
  readonly what: T;
  untilMs: number;
}

/**
 * A cluster whose users have rights, and in which a feature server may do everything: each of its requests is compared
 * with what those could do who wrote the definition and the Feature. It knows no groups and no wildcards.
 */
export class ModelRights {
  readonly cluster: TestCluster;
  /** What the server did that its authors could not have done. */
  readonly violations: string[] = [];
  readonly #held = new Map<string, Period<Held>[]>();
  readonly #wrote = new Map<string, Period<Author>[]>();

  constructor() {
    this.cluster = aCluster({ guards: true });
    const [policy, binding] = authorPolicyObjects();
    const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
    this.cluster.api.seed(ValidatingPolicy, { ...policy, metadata: { ...policy.metadata, ...metadata } });
    this.cluster.api.seed(ValidatingBinding, { ...binding, metadata: { ...binding.metadata, ...metadata } });
  }

  grant(user: string, held: Held): void {
    this.#periods(this.#held, user).push({ what: held, untilMs: Number.POSITIVE_INFINITY });
  }

  revokeAll(user: string): void {
    const nowMs = this.cluster.clock.now();
    for (const period of this.#periods(this.#held, user)) period.untilMs = Math.min(period.untilMs, nowMs);
  }

  /** Writes an object as the API server stores it: with the user of the request as its author. */
  write(user: string, plural: 'features' | 'featuredefinitions', object: KubeObject): void {
    const author: Author = { username: user };
    const nowMs = this.cluster.clock.now();
    const periods = this.#periods(this.#wrote, plural);
    for (const period of periods) period.untilMs = Math.min(period.untilMs, nowMs);
    periods.push({ what: author, untilMs: Number.POSITIVE_INFINITY });
    this.cluster.api.seed({ group: groupName, plural }, { ...object, author });
  }

  /** A client of the feature server. */
  server(): Kube {
    return new Kube(this.#watched(this.cluster.client().transport), { clock: this.cluster.clock });
  }

  #watched(transport: Transport): Transport {
    return {
      stream: (request, signal) => transport.stream(request, signal),
      request: async (request) => {
        const review = this.#reviewed(request);
        if (review) return review;
        this.#witness(request);
        return transport.request(request);
      },
    };
  }

  #reviewed({ path, body }: KubeRequest): KubeResponse | undefined {
    const answer = (status: object) => ({ status: 201, headers: {}, body: { status } });
    if (path.endsWith('/selfsubjectreviews')) return answer({ userInfo: { username: 'server' } });
    // The server itself may make guards.
    if (path.endsWith('/selfsubjectaccessreviews')) return answer({ allowed: true });
    if (!path.endsWith('/subjectaccessreviews')) return undefined;
    const { user, resourceAttributes } = (body as KubeObject).spec as { user: string; resourceAttributes: Right };
    return answer({ allowed: this.#may(user, resourceAttributes, this.cluster.clock.now()) });
  }

  #witness({ method, path, body }: KubeRequest): void {
    const [, group = '', namespace, resource = ''] =
      /^\/apis?(?:\/([^/]+\.[^/]+|apps))?\/v\w+(?:\/namespaces\/([^/]+))?\/([^/?]+)/.exec(path) ?? [];
    if (resource === '' || group === groupName || itsOwn.includes(resource)) return;
    if (resource.startsWith('validatingadmissionpolic')) {
      if (method === 'PATCH' && resource === ValidatingPolicy.plural) this.#witnessGuard(body as KubeObject);
      return;
    }
    const isNamed = new RegExp(`/${resource}/[^/?]`).test(path);
    const verb = method === 'GET' ? (isNamed ? 'get' : 'list') : verbs[method];
    // What concerns more than one namespace, the server keeps for itself.
    if (resource === 'secrets' && namespace === 'slipway-system') return;
    if (resource === 'secrets' && verb === 'list' && backups.test(path)) return;
    this.#demand({ verb, resource, ...(namespace !== undefined && { namespace }) }, `${method} ${path}`);
  }

  #witnessGuard({ spec, metadata }: KubeObject): void {
    const [namespace] = spec.matchConstraints.namespaceSelector?.matchExpressions?.[0]?.values ?? [];
    const where = `guard ${metadata.name}`;
    if (namespace === undefined) {
      for (const verb of guardedVerbs) this.#demand({ verb, resource: ValidatingPolicy.plural }, where);
      return;
    }
    for (const resource of spec.matchConstraints.resourceRules[0].resources) {
      for (const verb of guardedVerbs) this.#demand({ verb, resource, namespace }, where);
    }
  }

  #demand(right: Held, what: string): void {
    const nowMs = this.cluster.clock.now();
    for (const plural of ['features', 'featuredefinitions']) {
      const authors = this.#periods(this.#wrote, plural).filter(({ untilMs }) => untilMs + graceMs >= nowMs);
      if (authors.some(({ what: { username } }) => this.#may(username, right, nowMs - graceMs))) continue;
      const names = authors.map(({ what: { username } }) => username).join(', ');
      this.violations.push(`${what}: no author of ${plural} (${names}) may ${right.verb} ${right.resource}`);
    }
  }

  /** Whether a user had a right at some time since `sinceMs`. Who may do something everywhere may do it in a namespace. */
  #may(user: string, { verb, resource, namespace }: Held, sinceMs: number): boolean {
    if (user === 'server') return true;
    return this.#periods(this.#held, user).some(
      ({ what, untilMs }) =>
        untilMs >= sinceMs &&
        what.verb === verb &&
        what.resource === resource &&
        (what.namespace === undefined || what.namespace === namespace),
    );
  }

  #periods<T>(of: Map<string, Period<T>[]>, key: string): Period<T>[] {
    const known = of.get(key) ?? [];
    of.set(key, known);
    return known;
  }
}

/** A list of all backups of a namespace: the server looks for its own that have expired, and shows users nothing of it. */
const backups = /labelSelector=features\.slipway\.dev%2Fbackup(?:&|$)/;

/** A definition that was created since authors are vouched for. */
export function definitionOf(spec: FeatureDefinition['spec'], namespace: string): FeatureDefinition {
  const metadata = { name: spec.gate.toLowerCase(), namespace, creationTimestamp: '2026-06-01T00:00:00Z' };
  return { apiVersion: `${groupName}/v1alpha1`, kind: 'FeatureDefinition', metadata, spec };
}
