import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeObject } from '@slipway/kube';
import { parseAllYaml, parseYaml } from '@slipway/safe-yaml';
import fc from 'fast-check';
import { installation, type PartName, partNames } from 'slipway/installation';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { findHelm, needs } from '../real-parts.js';
import { helmChart } from './helm-chart.js';
import { monitoringObjects } from './monitoring/monitoring-objects.js';
import { type RenderContext, renderTemplate } from './render-template.js';

const chart = helmChart('0.1.0');
const stampKind = 'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy';
const defaults = parseYaml(chart.get('slipway/values.yaml') ?? '') as Values;
const valueKeys = { features: 'features', 'node-agent': 'nodeAgent', balloons: 'balloons' } as const;

interface PartValues {
  readonly enabled: boolean;
  readonly replicas?: number;
  readonly resources: object;
}

interface Values extends Record<(typeof valueKeys)[PartName], PartValues> {
  readonly image: string;
  readonly guards: boolean;
  readonly pulls: boolean;
  readonly monitoring: { readonly enabled: boolean };
}

/** Renders the chart without Helm. */
function rendered(values: Values, namespace: string, served: readonly string[] = []): readonly KubeObject[] {
  const context: RenderContext = { Values: values, Release: { Namespace: namespace }, served };
  const templates = [...chart].filter(([path]) => path.startsWith('slipway/templates/'));
  return templates.flatMap(([, text]) => parseAllYaml(renderTemplate(text, context)) as KubeObject[]);
}

/** What `slipway install` would apply, with the numbers that only the chart lets one choose. */
function installed(values: Values, namespace: string, stampVersion?: string): readonly KubeObject[] {
  const { image, guards, pulls } = values;
  const parts = partNames.filter((part) => values[valueKeys[part]].enabled);
  const objects = parts.flatMap((part) => {
    const { replicas, resources } = values[valueKeys[part]];
    return installation({ parts: [part], image, guards, pulls, namespace, stampVersion }).map((object) => {
      if (object.kind !== 'Deployment' && object.kind !== 'DaemonSet') return object;
      const { template } = object.spec;
      const containers = [{ ...template.spec.containers[0], resources }];
      const ofDeployment = object.kind === 'Deployment' ? { replicas } : {};
      const spec = {
        ...object.spec,
        ...ofDeployment,
        template: { ...template, spec: { ...template.spec, containers } },
      };
      return { ...object, spec };
    });
  });
  const monitoring = values.monitoring.enabled ? monitoringObjects(namespace) : [];
  const withoutNamespace = objects.filter(({ kind }) => kind !== 'Namespace');
  return JSON.parse(JSON.stringify([...withoutNamespace, ...monitoring].map(kept)));
}

/** Helm is asked not to delete definitions; nothing else differs from `slipway install`. */
function kept(object: KubeObject): KubeObject {
  if (object.kind !== 'CustomResourceDefinition') return object;
  const annotations = { ...object.metadata.annotations, 'helm.sh/resource-policy': 'keep' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function byName(objects: readonly KubeObject[]): readonly KubeObject[] {
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
  return [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const amounts = fc.record({ cpu: fc.constantFrom('10m', '1', '1e3m'), memory: fc.constantFrom('64Mi', '1Gi') });
const partValues = fc.record({
  enabled: fc.boolean(),
  replicas: fc.integer({ min: 1, max: 9 }),
  resources: fc.record({ requests: amounts, limits: amounts }, { requiredKeys: [] }),
});
const anyValues: fc.Arbitrary<Values> = fc.record({
  image: fc.constantFrom(
    'slipway',
    'registry.example.com:5000/team/slipway:0.1.0',
    'slipway@sha256:0123',
    '1.0',
    'null',
  ),
  guards: fc.boolean(),
  pulls: fc.boolean(),
  features: partValues,
  nodeAgent: partValues,
  balloons: partValues,
  monitoring: fc.record({ enabled: fc.boolean() }),
});
const anyNamespace = fc.oneof(
  fc.constantFrom('slipway-system', '123', '1e3', 'null', 'true', 'no'),
  fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
);

test('the chart renders what slipway install applies, whatever its values', () => {
  fc.assert(
    fc.property(anyValues, anyNamespace, fc.constantFrom(undefined, 'v1'), (values, namespace, stampVersion) => {
      const served = stampVersion === undefined ? [] : [stampKind];
      expect(byName(rendered(values, namespace, served))).toEqual(byName(installed(values, namespace, stampVersion)));
    }),
    { numRuns: 30 },
  );
});

test('the default values are those of slipway install, and only the image is missing', () => {
  const values = { ...defaults, image: 'slipway' };
  const plain = installation({ parts: partNames, image: 'slipway', guards: false }).filter(
    ({ kind }) => kind !== 'Namespace',
  );
  expect(byName(rendered(values, 'slipway-system'))).toEqual(byName(JSON.parse(JSON.stringify(plain.map(kept)))));
  expect(() => rendered(defaults, 'slipway-system')).toThrow(/image: say which image/);
});

test('values.schema.json and the README know exactly the values there are', () => {
  const schema = JSON.parse(chart.get('slipway/values.schema.json') ?? '');
  const { global: _helmsOwn, ...properties } = schema.properties;
  expect(leavesOf(properties)).toEqual(leavesOf(defaults));
  const shown = [...(chart.get('slipway/README.md') ?? '').matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name]) => name);
  expect(shown).toEqual(leavesOf(defaults));

  function leavesOf(values: object): readonly string[] {
    return Object.entries(values).flatMap(([key, value]) => {
      const inner =
        value.properties ?? (['features', 'nodeAgent', 'balloons', 'monitoring'].includes(key) ? value : undefined);
      return inner ? Object.keys(inner).map((name) => `${key}.${name}`) : [key];
    });
  }
});

test('helm template renders what slipway install applies', (context) => {
  needs(context, 'Helm');
  const folder = testFolder();
  for (const [path, text] of chart) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const run = (words: readonly string[]) => spawnSync(findHelm() ?? '', words, { cwd: folder, encoding: 'utf8' });
  const template = (values: object) => {
    writeFileSync(join(folder, 'values.json'), JSON.stringify(values));
    const server = ['--kube-version', '1.37.0', '--api-versions', stampKind];
    return run(['template', 'slipway', './slipway', '-n', 'team-a', ...server, '-f', 'values.json']);
  };
  const values = { ...defaults, image: 'a/b:1', guards: true, pulls: true, monitoring: { enabled: true } };
  const { stdout, stderr } = template(values);
  expect(stderr).toBe('');
  expect(byName(parseAllYaml(stdout) as KubeObject[])).toEqual(byName(installed(values, 'team-a', 'v1')));
  expect(run(['lint', '--strict', '--set', 'image=a', './slipway'])).toMatchObject({ status: 0 });
  expect(template({}).stderr).toContain('image: say which image');
  expect(template({ image: 'a', balloons: { replicas: 0 } }).stderr).toMatch(
    /replicas.*minimum|greater than or equal to 1/,
  );
  expect(template({ image: 'a', ballons: {} }).stderr).toMatch(/ballons/);
});
