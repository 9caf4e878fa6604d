import type { GateValue } from '../api/feature-vector.js';
import { stageAt } from '../lifecycle/stages.js';
import { compareVersions, minorVersion } from '../lifecycle/versions.js';
import { type GateAt, gateAt } from '../releases/gate-at.js';
import { minorBefore } from '../releases/minor-versions.js';
import type { ProcessGroup, UpgradeView } from './upgrade-view.js';

/** Gates that stand for many. */
const groupGates = ['AllAlpha', 'AllBeta'];

/** Returns a gate's state at a version, by the facts of Kubernetes or else by what the author declares. */
export function gateIn(view: UpgradeView, gate: string, version: string, minCompatibility?: string): GateAt {
  const released = view.catalogue.gates.get(gate);
  if (released) return gateAt(view.catalogue, released, version, minCompatibility);
  const declared = stageAt(view.definitions.get(gate)?.stages, version);
  if (!declared) return { kind: 'unknown' };
  return declared.stage === 'PreAlpha' ? { kind: 'notYet' } : { kind: 'present', ...declared };
}

/** The default of a gate in a version; what is not there is off. Undefined when unknown. */
export function defaultIn(
  view: UpgradeView,
  gate: string,
  version: string,
  minCompatibility?: string,
): boolean | undefined {
  const found = gateIn(view, gate, version, minCompatibility);
  if (found.kind === 'present') return found.default;
  return found.kind === 'notYet' ? false : undefined;
}

/**
 * Whether a value was typed by a person and so outlives an upgrade. Where the report does not tell, a value that
 * is not the default of its version was.
 */
export function isExplicit(view: UpgradeView, group: ProcessGroup, gate: GateValue): boolean {
  if (gate.set !== undefined) return gate.set;
  const usual = gate.default ?? defaultIn(view, gate.name, minorVersion(group.emulationVersion ?? group.version));
  return usual !== undefined && usual !== gate.enabled;
}

/** The gates of a group that a person typed, without those that stand for many. */
export function explicitGates(view: UpgradeView, group: ProcessGroup): readonly GateValue[] {
  return [...(group.gates?.values() ?? [])].filter(
    (gate) => !groupGates.includes(gate.name) && isExplicit(view, group, gate),
  );
}

/** The value that processes of a group will have in a version, unless their flags change. Undefined when unknown. */
export function valueIn(view: UpgradeView, group: ProcessGroup, gate: string, version: string): boolean | undefined {
  const found = gateIn(view, gate, version, heldCompatibility(group));
  if (found.kind === 'present' && found.locked) return found.default;
  const now = group.gates?.get(gate);
  if (now && isExplicit(view, group, now)) return now.enabled;
  return publishedValue(view, gate) ?? defaultIn(view, gate, version, heldCompatibility(group));
}

/** Returns the value the API publishes for a gate that was decided; an upgrade does not change it. */
export function publishedValue({ features }: UpgradeView, gate: string): boolean | undefined {
  const feature = features.find(({ spec }) => spec.gate === gate);
  const decided = feature?.spec.desired === 'On' || feature?.spec.desired === 'Off';
  return decided ? feature?.status?.published?.value : undefined;
}

/** Every gate that a process or a Feature names, sorted. */
export function gatesSeen({ features, groups }: UpgradeView): readonly string[] {
  const names = [
    ...features.map(({ spec }) => spec.gate),
    ...groups.flatMap(({ gates }) => [...(gates?.keys() ?? [])]),
  ];
  return [...new Set(names)].filter((name) => !groupGates.includes(name)).sort();
}

/** The minimum compatibility version of processes that hold on to an older one than they would have by themselves. */
export function heldCompatibility({ version, emulationVersion, minCompatibility }: ProcessGroup): string | undefined {
  const usual = minorBefore(emulationVersion ?? version);
  return minCompatibility !== undefined && compareVersions(minorVersion(minCompatibility), usual) < 0
    ? minorVersion(minCompatibility)
    : undefined;
}
