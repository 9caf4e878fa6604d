import { compareVersions } from '../lifecycle/versions.js';
import facts from './kubernetes-api-versions.json' with { type: 'json' };

/** One version of a kind of Kubernetes that not every release has. Releases are minor versions: `1.34`. */
export interface ApiVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The first release that has its types; all that are known have them when missing. */
  readonly firstIn?: string;
  /** The last release that has its types; what is stored in this version cannot be decoded after it. */
  readonly lastIn?: string;
  /** The release that no longer serves it, although it may still decode it. */
  readonly removedIn?: string;
}

/** Which releases can decode what. */
export interface ApiVersions {
  readonly versions: readonly ApiVersion[];
}

/** Those of the releases that gates are known of. `tools/kubernetes-api-versions.mjs` writes the facts. */
export const kubernetesApiVersions: ApiVersions = facts;

/** Whether a release has the types of a version. What no fact names is there in all of them. */
export function canDecode(
  { versions }: ApiVersions,
  one: Omit<ApiVersion, 'firstIn' | 'lastIn'>,
  release: string,
): boolean {
  const known = find(versions, one);
  const begun = known?.firstIn === undefined || compareVersions(known.firstIn, release) <= 0;
  return begun && (known?.lastIn === undefined || compareVersions(release, known.lastIn) <= 0);
}

/** Whether a release may serve a version. What no fact names is served by all of them. */
export function isServed(
  { versions }: ApiVersions,
  one: Pick<ApiVersion, 'group' | 'version' | 'kind'>,
  release: string,
): boolean {
  const { firstIn = release, removedIn } = find(versions, one) ?? {};
  return compareVersions(firstIn, release) <= 0 && (removedIn === undefined || compareVersions(release, removedIn) < 0);
}

/** Whether versions of a kind come or go between releases, so that it is worth to look at what is stored. */
export function isMoving({ versions }: ApiVersions, group: string, kind: string): boolean {
  return versions.some(
    (each) => each.group === group && each.kind === kind && (each.firstIn ?? each.lastIn ?? each.removedIn),
  );
}

/** Every version of a kind that some fact names. */
export function versionsOf(
  { versions }: ApiVersions,
  { group, kind }: Pick<ApiVersion, 'group' | 'kind'>,
): readonly string[] {
  return versions.filter((each) => each.group === group && each.kind === kind).map(({ version }) => version);
}

/** Whether a release is the first one that has the types of a version. */
export function isNewIn(
  { versions }: ApiVersions,
  one: Pick<ApiVersion, 'group' | 'version' | 'kind'>,
  release: string,
): boolean {
  return find(versions, one)?.firstIn === release;
}

function find(versions: readonly ApiVersion[], { group, version, kind }: Omit<ApiVersion, 'firstIn' | 'lastIn'>) {
  return versions.find((each) => each.group === group && each.version === version && each.kind === kind);
}
