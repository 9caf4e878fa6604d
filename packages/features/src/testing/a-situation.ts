import type { Consent, FeatureSpec, FeatureStatus } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Target } from '../api/target.js';
import type { ComponentUses } from '../api/uses-status.js';
import { digest } from '../lifecycle/digest.js';
import type { Situation } from '../lifecycle/situation.js';
import { type Step, step } from '../lifecycle/step.js';
import type { UseCounts } from '../uses/count-uses.js';

export const startMs = Date.UTC(2026, 0, 1);

export const aDefinition: FeatureDefinitionSpec = {
  gate: 'Widgets',
  scope: 'Cluster',
  components: [
    { name: 'server', required: true, roster: 'Self' },
    { name: 'agent', required: true, roster: 'Self' },
    { name: 'viewer', required: false, roster: 'Self' },
  ],
  dynamic: 'Live',
  cleanup: 'Automatic',
  references: [{ group: 'acme.io', resource: 'widgets', path: 'spec.fast' }],
  tasks: {
    off: [
      { kind: 'Drain', phase: 'BeforePublish' },
      { kind: 'ClearField', args: { group: 'acme.io', resource: 'widgets', path: 'spec.fast' } },
    ],
  },
};

/** Counts of `server agent viewer`, each as `on/off/silent` or `on/off/silent/waived`: `1/0/0 0/1/0/1 0/0/0`. */
export function counts(text: string): UseCounts {
  const components = text.split(' ').map((part, index): ComponentUses => {
    const [on = 0, off = 0, silent = 0, waived = 0] = part.split('/').map(Number);
    const { name, required = true } = aDefinition.components[index] as { name: string; required?: boolean };
    const expected = on + off + silent + waived;
    return { name, required, expected, on, off, silent, unregistered: 0, waived, read: 0, versions: [], samples: [] };
  });
  const sum = (of: (component: ComponentUses) => number) => components.reduce((total, one) => total + of(one), 0);
  return {
    expected: sum(({ expected }) => expected),
    reporting: sum(({ expected, silent }) => expected - silent),
    on: sum(({ on }) => on),
    off: sum(({ off }) => off),
    unregistered: 0,
    silent: sum(({ silent }) => silent),
    waived: sum(({ waived }) => waived),
    read: 0,
    components,
  };
}

export const allOff = counts('0/1/0 0/2/0 0/1/0');
export const allOn = counts('1/0/0 2/0/0 1/0/0');

/** A declared feature at rest in `state`, wanted there by its spec, all processes agreeing. */
export function aSituation(
  state: 'Unknown' | Target,
  overrides: Partial<Omit<Situation, 'spec'>> & { readonly spec?: Partial<FeatureSpec> } = {},
): Situation {
  const { spec, ...rest } = overrides;
  const isSettled = state !== 'Unknown';
  const status: FeatureStatus = {
    state,
    stateSince: new Date(startMs).toISOString(),
    ...(isSettled && {
      transitions: 3,
      configured: { value: state === 'On', source: 'Spec' },
      specDigest: digest({ steered: 'Dynamic', cleanup: 'Automatic', authority: '' }),
      definitionDigest: 'definition',
      published: { value: state === 'On', epoch: 3 },
    }),
    ...(state === 'Off' && { dangling: aScan(0) }),
  };
  return {
    nowMs: startMs + 1_000,
    spec: { gate: 'Widgets', desired: isSettled ? state : 'Unmanaged', mode: 'Dynamic', ...spec },
    status,
    definition: { spec: aDefinition, digest: 'definition', revision: 'u1/1', problems: [] },
    cleanup: 'Automatic',
    settable: { mode: 'Dynamic' },
    uses: state === 'On' ? allOn : allOff,
    waivers: [],
    patienceMs: 360_000,
    scanEveryMs: 600_000,
    newId: '7-abcd',
    chance: 0.5,
    isDestructive: (kind) => kind === 'ClearField',
    ...rest,
  };
}

/** Consent to a plan of the definition of `aSituation`, for an hour. */
export function aConsent(plan: string, overrides: Partial<Consent> = {}): Consent {
  return { plan, definition: 'u1/1', objects: [], expires: new Date(startMs + 3_600_000).toISOString(), ...overrides };
}

export function aScan(count: number) {
  return { count, complete: true, scannedAt: new Date(startMs).toISOString(), samples: [] };
}

/** The situation after a step, with what changed since. */
export function after(before: Situation, taken: Step, overrides: Partial<Situation> = {}): Situation {
  return { ...before, report: undefined, scan: undefined, status: taken.status, ...overrides };
}

/** Takes a step, and further ones in which every task that is run is simply done, until nothing is run. */
export function settled(situation: Situation): { readonly situation: Situation; readonly steps: number } {
  let current = situation;
  for (let steps = 1; steps < 30; steps++) {
    const taken = step(current);
    const run = taken.next;
    if (run?.kind !== 'run') return { situation: after(current, taken), steps };
    const { transition } = taken.status;
    const outcome = { kind: 'done', ...(run.task.kind === 'Publish' && { publish: transition?.to === 'On' }) } as const;
    current = after(current, taken, { report: { transition: transition?.id ?? '', task: run.task.name, outcome } });
  }
  throw new Error('it does not settle');
}
