import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@slipway/kube';
import { toYaml } from '@slipway/safe-yaml';
import { expect, test } from 'vitest';
import { installation, partNames } from './installation.js';

const self = 'packages/cli/src/commands/install/manifests.test.ts';
const header = `# Written by its test: UPDATE_GOLDEN=1 npx vitest run --project unit ${self}\n`;
const deploy = fileURLToPath(new URL('../../../../../deploy/', import.meta.url));

const image = 'registry.example.com/slipway:0.1.0';
const all = installation({ parts: partNames, image, guards: true });
const isWorkload = ({ kind }: KubeObject) => kind === 'Deployment' || kind === 'DaemonSet';
const isDefinition = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition';
const only = (part: (typeof partNames)[number]) =>
  installation({ parts: [part], guards: true }).filter(({ kind }) => kind !== 'Namespace');

const files: [string, readonly KubeObject[]][] = [
  ['namespace.yaml', all.filter(({ kind }) => kind === 'Namespace')],
  ['features/crds.yaml', only('features').filter(isDefinition)],
  ['features/rbac.yaml', only('features').filter((object) => !isDefinition(object))],
  ['node-agent/rbac.yaml', only('node-agent')],
  ['processes.yaml', all.filter(isWorkload)],
];

test.each(files)('deploy/%s is what slipway install applies', (name, objects) => {
  const text = header + objects.map((object) => toYaml(object)).join('---\n');
  if (process.env.UPDATE_GOLDEN) writeFileSync(deploy + name, text);
  expect(objects.length).toBeGreaterThan(0);
  expect(readFileSync(deploy + name, 'utf8')).toBe(text);
});

test('every process runs as an account that is installed with it, without rights on its machine', () => {
  const accounts = all.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
  const workloads = all.filter(isWorkload);
  expect(workloads).toHaveLength(3);
  for (const { spec } of workloads) {
    const pod = spec.template.spec;
    expect(accounts).toContain(pod.serviceAccountName);
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(pod.containers[0].securityContext.capabilities).toEqual({ drop: ['ALL'] });
  }
});
