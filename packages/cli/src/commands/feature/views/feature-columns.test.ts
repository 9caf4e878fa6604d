import { Feature } from '@slipway/features';
import { apiVersionOf } from '@slipway/kube';
import { expect, test } from 'vitest';
import { renderTable } from '../../../output/table.js';
import { featureColumns } from './feature-columns.js';

const nowMs = Date.parse('2026-11-20T12:00:00Z');

/** A feature on its way, of which everything that is shown is as long as it usually gets. */
function aFeature(namespace: string, gate = 'MaxUnavailableStatefulSet'): Feature {
  return {
    apiVersion: apiVersionOf(Feature),
    kind: Feature.kind,
    metadata: { name: gate.toLowerCase(), namespace, creationTimestamp: '2026-11-20T11:59:00Z' },
    spec: { gate },
    status: {
      state: 'TurningOff',
      stateSince: '2026-11-20T11:59:30Z',
      effective: { stage: 'Alpha' },
      summary: {
        state: 'TurningOff',
        configured: 'false (authority)',
        uses: '2/2 off',
        dangling: '12',
        next: 'ClearField',
      },
      conditions: [{ type: 'UpgradeSafe', status: 'False', reason: 'InTransition', message: '' }],
    },
  } as unknown as Feature;
}

const shown = (features: readonly Feature[], wide = false) =>
  renderTable(features, featureColumns(features, nowMs), { wide }).split('\n');

test('features of one namespace fit a terminal of 100 columns, and those of several show it', () => {
  const lines = shown([aFeature('kube-system'), aFeature('kube-system', 'ImageVolume')]);
  expect(lines[0]).toMatch(/^GATE +STAGE +STATE +CONFIGURED +USES +DANGLING +UPGRADE$/);
  expect(lines[1]).toMatch(/ blocked$/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(shown([aFeature('kube-system'), aFeature('shop')])[0]).toMatch(/^NAMESPACE +GATE /);
});

test('-o wide says everything, and why an upgrade would not be safe', () => {
  const [heading, row] = shown([aFeature('kube-system')], true);
  expect(heading).toMatch(/^NAMESPACE +GATE .* UPGRADE +SINCE +NEXT +BLOCKED +UNSAFE +AGE$/);
  expect(row).toMatch(/^kube-system .* blocked +30s +ClearField +<none> +InTransition +60s$/);
});
