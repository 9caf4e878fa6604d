import { expect, test } from 'vitest';
import type { NodeSizeSpec } from '../api/node-size.js';
import { formatAmounts, minus, parseAmounts } from '../planner/amounts.js';
import { aPolicy } from '../testing/an-observation.js';
import { previewSize } from './preview-size.js';

const { limits } = aPolicy({ min: { cpu: '1' } });
const allocatable = parseAmounts({ cpu: 16, memory: '64Gi' });
const preview = (spec: NodeSizeSpec) =>
  previewSize({ allocatable, requested: parseAmounts({ cpu: 3, memory: '10Gi' }), balloon: undefined, limits, spec });

test.each<[NodeSizeSpec, string]>([
  [{ mode: 'Size', size: { cpu: 4, memory: '16Gi' } }, '4 16Gi'],
  [{ mode: 'Fraction', fraction: '1/4' }, '4 16Gi'],
  [{ mode: 'Balloon', balloon: { cpu: 12, memory: '48Gi' } }, '4 16Gi'],
  [{ mode: 'Size', size: { cpu: 2 }, fit: 'BestEffort' }, '3 65528Mi'],
  [{ mode: 'Full' }, 'at-size'],
  [{ mode: 'Size', size: { cpu: 2 } }, 'pods ask for more than that would leave: 1 cpu too much'],
  [{ mode: 'Size', size: { cpu: 17 } }, '17 cpu is larger than the node, which has 16'],
  [{ mode: 'Size', size: { cpu: '500m' } }, "500m cpu is below the policy's least, 1"],
])('previewSize(%j) is %s', (spec, says) => {
  const answer = preview(spec);
  if (answer.kind === 'impossible') expect(answer.message).toContain(says);
  else if (answer.kind === 'at-size') expect(answer.kind).toBe(says);
  else expect(Object.values(formatAmounts(minus(allocatable, answer.plan.to))).join(' ')).toBe(says);
});
