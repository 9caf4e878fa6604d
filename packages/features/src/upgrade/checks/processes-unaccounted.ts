import { compareVersions, minorVersion } from '../../lifecycle/versions.js';
import { minorsApart, minorsBetween } from '../../releases/minor-versions.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import { indispensableComponents, nameGroup, type UpgradeView } from '../upgrade-view.js';

/** How many minor versions a component may be older than the API server: the version skew policy since v1.28. */
const maySkew: Readonly<Record<string, number>> = { kubelet: 3, 'kube-proxy': 3 };

/** Who does not report may run anything, and who is too old or too new cannot talk to the target. */
export const processesUnaccounted: UpgradeCheck = {
  id: 'U009',
  severity: 'blocker',
  summary: 'Processes are silent, or too far from the target',
  check(view, report) {
    for (const component of indispensableComponents) {
      if (view.groups.some((group) => group.component === component)) continue;
      const message = `no ${component} has reported what it runs`;
      report({ severity: 'unknown', component, message, fix: 'slipway feature list, to see who reports' });
    }
    for (const group of view.groups.filter(({ gates }) => gates === undefined)) {
      const message = `the values that ${nameGroup(group)} reports are not there: its FeatureVector does not exist`;
      report({ severity: 'unknown', component: group.component, message, fix: 'wait until it reports again' });
    }
    for (const { component, count, names } of unheard(view)) {
      const message = `processes of ${component} that are silent or waived: ${count}${names.length > 0 ? ` (${names.join(', ')})` : ''}`;
      report({ severity: 'unknown', component, message, fix: 'bring them back, or remove their nodes' });
    }
    for (const group of view.groups) {
      const allowed = maySkew[group.component];
      const apart = minorsApart(group.version, view.to);
      if (allowed !== undefined && apart > allowed) {
        const message = `${nameGroup(group)} has v${minorVersion(group.version)}, more than ${allowed} minor versions older than v${view.to}`;
        const oldest = minorsBetween(group.version, view.to)[apart - allowed - 1] ?? view.to;
        const fix =
          minorsApart(oldest, view.from) >= 0
            ? `upgrade them first, to v${minorVersion(view.from)}`
            : `upgrade them on the way, to v${oldest} or later before the API server is v${view.to}`;
        report({ component: group.component, message, fix });
      } else if (allowed !== undefined && compareVersions(minorVersion(group.version), view.to) > 0) {
        const message = `${nameGroup(group)} has v${minorVersion(group.version)}, and may not be newer than the API server`;
        report({ component: group.component, message, fix: `take them to v${view.to} before the API server` });
      }
    }
  },
};

/** The most that any feature misses of a component: one that is silent is silent about every gate. Nor does a waiver tell what runs. */
function unheard({ features }: UpgradeView) {
  const most = new Map<string, { component: string; count: number; names: readonly string[] }>();
  for (const { name, silent, waived = 0, samples } of features.flatMap(
    ({ status }) => status?.uses?.components ?? [],
  )) {
    const count = silent + waived;
    if (count <= (most.get(name)?.count ?? 0)) continue;
    const names = samples
      .filter(({ value, waiver }) => value === 'silent' || waiver !== undefined)
      .map(({ process }) => process);
    most.set(name, { component: name, count, names });
  }
  return most.values();
}
