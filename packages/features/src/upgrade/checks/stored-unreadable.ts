import { tasksOnTheWay } from '../../lifecycle/version-tasks.js';
import { canDecode, isNewIn } from '../../releases/api-versions.js';
import { minorsBetween } from '../../releases/minor-versions.js';
import type { Reported, UpgradeCheck } from '../upgrade-check.js';
import type { StoredKind, UpgradeView } from '../upgrade-view.js';

/** What an API server cannot decode it cannot list, and what it cannot list cannot be deleted. */
export const storedUnreadable: UpgradeCheck = {
  id: 'U006',
  severity: 'blocker',
  summary: 'Objects are stored in a version that the target cannot decode or reads differently',
  check(view, report) {
    for (const kind of view.stored) {
      const finding = kind.objects === 0 ? undefined : (undecodable(view, kind) ?? incompatible(view, kind));
      if (finding) report(finding);
    }
  },
};

/** Every version on the way must decode what is stored: the servers of one version run beside those of the next. */
function undecodable(view: UpgradeView, kind: StoredKind): Reported | undefined {
  const { group, versions, storedAs, resource } = kind;
  const way = minorsBetween(view.from, view.to);
  const lost = (version: string) =>
    way.find((release) => !canDecode(view.apiVersions, { group, version, kind: kind.kind }, release));
  // Until a release stores its newest versions itself, nothing was ever stored in them.
  const isUnstored = (version: string) =>
    storedAs !== undefined &&
    storedAs !== version &&
    isNewIn(view.apiVersions, { group, version, kind: kind.kind }, view.from);
  const all = [...new Set([...(storedAs === undefined ? [] : [storedAs]), ...versions])];
  const leaving = all.filter((version) => lost(version) !== undefined && !isUnstored(version));
  const named = `${resource}.${group}`;
  const [first] = leaving;
  if (first === undefined) return undefined;

  const gone = `v${lost(storedAs ?? first) ?? view.to} cannot decode ${storedAs ?? leaving.join(', ')}`;
  if (storedAs !== undefined ? leaving.includes(storedAs) : leaving.length === versions.length) {
    const message = `${counted(kind)} ${named}: ${gone}, in which they are stored`;
    return { message, fix: `kubectl delete ${named} --all --all-namespaces, after saving what is to be kept` };
  }
  const message = `${counted(kind)} ${named}: v${lost(first)} cannot decode ${leaving.join(', ')}, in which some may still be stored`;
  const rewrite = `kubectl get ${named} --all-namespaces -o json | kubectl replace -f -`;
  return { severity: 'unknown', message, fix: rewrite };
}

/** An author says of a collection that the next version means something else by it when a task empties it on the way. */
function incompatible(view: UpgradeView, kind: StoredKind): Reported | undefined {
  for (const [gate, definition] of view.definitions) {
    const isEmptied = tasksOnTheWay(definition, view).some(
      ({ kind: task, args, when }) =>
        task === 'ClearCollection' && when !== 'After' && args?.group === kind.group && args.resource === kind.resource,
    );
    if (!isEmptied) continue;
    const message = `${counted(kind)} ${kind.resource}.${kind.group}: v${view.to} means something else by what is stored, says the definition`;
    return { gate, message, fix: `slipway upgrade prepare --to v${view.to} --yes` };
  }
  return undefined;
}

function counted({ objects }: StoredKind): string {
  return objects === undefined ? 'an unknown number of' : String(objects);
}
