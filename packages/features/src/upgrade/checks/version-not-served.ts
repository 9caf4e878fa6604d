import { isServed } from '../../releases/api-versions.js';
import { minorsBetween } from '../../releases/minor-versions.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** Clients and manifests that name a version which is not served any more get 404. */
export const versionNotServed: UpgradeCheck = {
  id: 'U018',
  severity: 'warning',
  summary: 'A version of a kind is served now and not by the target',
  check({ from, to, apiVersions, stored }, report) {
    const way = minorsBetween(from, to);
    for (const { group, kind, versions } of stored) {
      for (const version of versions) {
        const without = way.find((release) => !isServed(apiVersions, { group, version, kind }, release));
        if (without === undefined) continue;
        const others = versions.filter((other) => other !== version).map((other) => `${group}/${other}`);
        const instead = others.length > 0 ? `, and name ${others.join(' or ')} there` : '';
        report({
          message: `v${without} does not serve ${group}/${version} ${kind}`,
          fix: `look through manifests and clients for ${group}/${version} ${kind}${instead}`,
        });
      }
    }
  },
};
