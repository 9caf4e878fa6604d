import type { Kube, ResourceRef } from '@slipway/kube';
import type { Author } from '../api/author.js';
import type { Right } from './rights-of-step.js';

const SubjectAccessReview: ResourceRef = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
};

const SelfSubjectAccessReview: ResourceRef = {
  ...SubjectAccessReview,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
};

/** Whether this client itself has a right. An API server that does not answer such questions denies by itself. */
export async function mayItself(kube: Kube, right: Right, signal: AbortSignal): Promise<boolean> {
  const { kind, group, version } = SelfSubjectAccessReview;
  const review = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec: { resourceAttributes: right } };
  const { status } = await kube.resource(SelfSubjectAccessReview).create(review, { signal });
  return status?.allowed !== false;
}

/** How long an answer counts. A task of many pages asks before each of them. */
const freshMs = 5_000;

/** Asks the API server what users may do, and keeps the answers for a few seconds. */
export class AccessReviews {
  readonly #kube: Kube;
  readonly #answers = new Map<string, { readonly allowed: boolean; readonly untilMs: number }>();

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  /** The first of the rights that the user does not have. @throws StatusError when the API server does not answer. */
  async firstDenied(author: Author, rights: readonly Right[], signal: AbortSignal): Promise<Right | undefined> {
    for (const right of rights) if (!(await this.#isAllowed(author, right, signal))) return right;
    return undefined;
  }

  async #isAllowed(author: Author, right: Right, signal: AbortSignal): Promise<boolean> {
    const nowMs = this.#kube.clock.monotonicMs();
    const key = JSON.stringify([author, right]);
    const known = this.#answers.get(key);
    if (known && known.untilMs > nowMs) return known.allowed;
    for (const [old, { untilMs }] of this.#answers) if (untilMs <= nowMs) this.#answers.delete(old);
    const { kind, group, version } = SubjectAccessReview;
    const { username, uid, groups = [], extra = [] } = author;
    const spec = {
      user: username,
      groups,
      ...(uid && { uid }),
      extra: Object.fromEntries(extra.map(({ key: name, values }) => [name, values])),
      resourceAttributes: right,
    };
    const review = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec };
    const { status } = await this.#kube.resource(SubjectAccessReview).create(review, { signal });
    const allowed = status?.allowed === true;
    this.#answers.set(key, { allowed, untilMs: nowMs + freshMs });
    return allowed;
  }
}

/** `patch statefulsets.apps in namespace shop`. */
export function nameOfRight({ verb, group, resource, namespace, name }: Right): string {
  const what = group === '' ? resource : `${resource}.${group}`;
  const which = name === undefined ? '' : ` ${name}`;
  return `${verb} ${what}${which} ${namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`}`;
}
