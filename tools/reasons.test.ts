import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { conditionTypes, type Feature, type Reason, reasons } from '@slipway/features';
import { expect, test } from 'vitest';
import { reasonRemedies } from '../packages/features/src/views/reason-remedies.js';

const page = fileURLToPath(new URL('../docs/reference/reasons.md', import.meta.url));

const aFeature: Feature = {
  apiVersion: 'features.slipway.dev/v1alpha1',
  kind: 'Feature',
  metadata: { name: 'gate', namespace: 'NAMESPACE' },
  spec: { gate: 'GATE' },
};

const counts = { expected: 1, on: 0, off: 1, unregistered: 0, silent: 0, waived: 0, read: 1 };
const component = { name: 'COMPONENT', required: true, ...counts, pendingRestart: 1, versions: [], samples: [] };
const sample = { process: 'PROCESS', value: 'off', cause: 'ExplicitFlag' } as const;
const usesWith = (...samples: readonly (typeof sample & { readonly waiver?: string })[]) => ({
  uses: { epoch: 0, reporting: 1, ...counts, components: [{ ...component, samples }] },
});
const object = {
  resource: 'RESOURCE',
  namespace: 'NAMESPACE',
  name: 'OBJECT',
  path: 'PATH',
  managers: [],
  via: 'Spec',
} as const;
const dangling = { dangling: { count: 1, complete: true, scannedAt: '', samples: [object] } };
const onItsWay = { state: 'On', ...usesWith(sample) } as const;
const unheard = { uses: { epoch: 0, reporting: 0, ...counts, components: [{ ...component, off: 0 }] } };

/** What a status tells a remedy besides, as far as it does. */
const statuses: Partial<Record<Reason, Feature['status']>> = {
  MigrationFailed: { maintenance: { id: 'ID', from: '', to: '', startedAt: '', plan: '', tasks: [], completed: [] } },
  PendingRestart: { state: 'On', settable: { mode: 'Dynamic' }, ...usesWith() },
  Drift: onItsWay,
  Stragglers: onItsWay,
  Silent: onItsWay,
  AwaitingEvidence: unheard,
  NoEvidence: unheard,
  Waived: usesWith({ ...sample, waiver: 'WAIVER' }),
  Reappearing: dangling,
  ObjectsRemain: dangling,
  Refused: dangling,
  Finalizers: dangling,
};
const messages: Partial<Record<Reason, string>> = {
  DependencyOff: 'OTHER is Off',
  ConflictOn: 'OTHER is On',
  DependentOn: 'OTHER is On',
  AuthorUnknown: 'slipway install',
  NotPermitted: 'jane, who wrote the Feature',
};

function remedyOf(reason: Reason): string {
  const remedy = reasonRemedies[reason];
  if ('nothing' in remedy) return remedy.nothing;
  const status = statuses[reason];
  return remedy.fix({ ...aFeature, ...(status && { status }) }, messages[reason] ?? '').replaceAll('|', '\\|');
}

test('docs/reference/reasons.md explains every reason a Feature gives, and no other', () => {
  const rows = Object.entries(reasons).map(
    ([reason, meaning]) => `| \`${reason}\` | ${meaning} | ${remedyOf(reason as Reason)} |`,
  );
  const text = `# Reasons

The same word stands in a condition of a Feature (${conditionTypes.join(', ')}), in the task that waits, in the event and in the
command's output. \`slipway feature get\` prints what to do, with the names of what is in the way. This page is written by its test:
\`UPDATE_GOLDEN=1 npx vitest run tools/reasons.test.ts\`.

| reason | meaning | to fix |
|---|---|---|
${rows.join('\n')}
`;
  if (process.env.UPDATE_GOLDEN) writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});
