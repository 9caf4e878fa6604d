import type { Discovery } from '@slipway/kube';
import type { Rule } from '@slipway/kube-objects/kinds/admission-matching';

/** What names a kind at one version. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** More kinds of a policy are not looked at. */
const maxKinds = 10;

/** The kinds that the rules of a policy name, in order; rules with a `*` for group or version name none. */
export function matchedKinds(rules: readonly Rule[], { resources }: Pick<Discovery, 'resources'>): Kind[] {
  const found = new Map<string, Kind>();
  for (const { apiGroups = [], apiVersions = [], resources: paths = [] } of rules) {
    if (apiGroups.includes('*') || apiVersions.includes('*')) continue;
    for (const { group, version, kind, plural } of resources) {
      const isNamed = apiGroups.includes(group) && apiVersions.includes(version) && paths.includes(plural);
      if (isNamed && found.size < maxKinds) found.set(`${group}/${version}/${kind}`, { group, version, kind });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}
