import { expect, test } from 'vitest';
import { parseFieldPath } from './field-path.js';
import { riskOf } from './path-safety.js';

// resource | path | risk
const cases: [string, string, string][] = [
  ['statefulsets.apps', 'spec.updateStrategy.rollingUpdate.maxUnavailable', 'none'],
  ['statefulsets.apps', 'spec.template.spec.hostUsers', 'rollout'],
  ['deployments.apps', 'spec.template', 'rollout'],
  ['cronjobs.batch', 'spec.jobTemplate.spec.template.spec.volumes[*].image', 'rollout'],
  ['jobs.batch', 'spec.template.spec.hostUsers', 'immutable'],
  ['pods', 'spec.volumes[*].image', 'immutable'],
  ['pods', 'metadata.annotations["a"]', 'none'],
  ['persistentvolumes', 'spec.csi.volumeHandle', 'immutable'],
  ['statefulsets.apps', 'spec.volumeClaimTemplates[*].spec.volumeAttributesClassName', 'immutable'],
  ['widgets.acme.io', 'spec.fast', 'none'],
  ['widgets.acme.io', 'spec', 'immutable'],
  ['widgets.acme.io', 'status.phase', 'immutable'],
  ['widgets.acme.io', 'metadata.name', 'immutable'],
  ['widgets.acme.io', 'metadata', 'immutable'],
];
test.each(cases)('riskOf(%s, %s) is %s', (name, path, risk) => {
  const [resource = '', ...group] = name.split('.');
  expect(riskOf({ group: group.join('.'), resource }, parseFieldPath(path))?.kind ?? 'none').toBe(risk);
});
