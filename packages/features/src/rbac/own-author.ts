import { hasReason, type Kube, type ObjectRef, type ResourceRef } from '@slipway/kube';
import { type Author, credentialPrefix } from '../api/author.js';
import { Feature } from '../api/feature.js';

const SelfSubjectReview: ResourceRef = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user that this client is to the API server, as the author of what it writes. Undefined when it does not tell. */
export async function ownAuthor(kube: Kube, signal?: AbortSignal): Promise<Author | undefined> {
  const { group, version, kind } = SelfSubjectReview;
  const review = { apiVersion: `${group}/${version}`, kind, metadata: {} };
  try {
    const { status } = await kube.resource(SelfSubjectReview).create(review, { signal });
    const user: UserInfo | undefined = status?.userInfo;
    return user?.username === undefined ? undefined : authorOf({ ...user, username: user.username });
  } catch (error) {
    if (hasReason(error, 'Forbidden') || hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Tells who this client is, once it is known without asking again. */
export type OwnAuthor = (signal: AbortSignal) => Promise<Author | undefined>;

/** The same as `ownAuthor` for a process that writes often. */
export function rememberedAuthor(kube: Kube): OwnAuthor {
  let known: Author | undefined;
  return async (signal) => {
    known ??= await ownAuthor(kube, signal);
    return known;
  };
}

function authorOf({ username, uid, groups, extra = {} }: UserInfo & { readonly username: string }): Author {
  const attributes = Object.entries(extra).filter(([key]) => !key.startsWith(credentialPrefix));
  return {
    username,
    ...(uid && { uid }),
    ...(groups && { groups }),
    ...(attributes.length > 0 && { extra: attributes.map(([key, values]) => ({ key, values })) }),
  };
}

/** Changes the spec of a Feature, and says by whom. */
export async function mergeSpec(
  kube: Kube,
  ref: ObjectRef,
  change: { readonly metadata?: object; readonly spec: object },
  signal?: AbortSignal,
): Promise<Feature> {
  const author = await ownAuthor(kube, signal);
  return kube.resource(Feature).merge(ref, { ...change, ...(author && { author: whole(author) }) }, { signal });
}

/** A merge patch that leaves nothing of another author. */
function whole({ username, uid, groups, extra }: Author) {
  return { username, uid: uid ?? null, groups: groups ?? null, extra: extra ?? null };
}
