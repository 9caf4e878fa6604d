import { compareVersions } from '../lifecycle/versions.js';
import { gatesSeen } from './gate-values.js';
import { kubernetesComponents, type UpgradeView } from './upgrade-view.js';

/** What a verdict rests on, and what it says nothing about. */
export interface Coverage {
  readonly processes: number;
  readonly gates: number;
  readonly features: number;
  readonly notAnalysed: readonly NotAnalysed[];
}

export interface NotAnalysed {
  readonly what: string;
  readonly why: string;
  readonly gates?: readonly string[];
}

/** Counts what the checks could look at, and names what they could not. */
export function coverageOf(view: UpgradeView): Coverage {
  const gates = gatesSeen(view);
  const undeclared = gates.filter((gate) => !view.definitions.get(gate)?.references?.length);
  return {
    processes: view.groups.reduce((sum, { processes }) => sum + processes.length, 0),
    gates: gates.length,
    features: view.features.length,
    notAnalysed: [
      ...(undeclared.length > 0
        ? [{ what: 'objects that use these gates', why: 'no references declared', gates: undeclared }]
        : []),
      ...unseen(view),
      {
        what: 'objects of custom resources',
        why: 'their definitions move with those who made them, not with Kubernetes',
      },
      { what: 'gates of other namespaces', why: 'their versions are not those of Kubernetes' },
      ...(compareVersions(view.to, view.catalogue.newest) >= 0
        ? [{ what: `changes to v${view.to} after ${view.catalogue.takenOn}`, why: 'it was not released then' }]
        : []),
    ],
  };
}

/** Components that never reported, and those whose expected number is unknown. */
function unseen({ groups, definitions }: UpgradeView): readonly NotAnalysed[] {
  const reporting = (name: string) => groups.some(({ component }) => component === name);
  const rosters = [...definitions.values()].flatMap(({ components }) => components);
  const listed = (component: string) => rosters.some(({ name, roster }) => name === component && roster !== 'Self');
  return kubernetesComponents.flatMap((component) => {
    if (!reporting(component)) return [{ what: component, why: 'no process of it reports' }];
    if (listed(component)) return [];
    return [
      { what: `processes of ${component} that do not report`, why: 'no FeatureDefinition says where they are listed' },
    ];
  });
}
