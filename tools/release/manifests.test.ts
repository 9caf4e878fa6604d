import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '@slipway/kube';
import { parseAllYaml, parseYaml } from '@slipway/safe-yaml';
import { installation, partNames } from 'slipway/installation';
import { expect, test } from 'vitest';
import { removedKinds } from '../../packages/cli/src/commands/install/find-installed.js';
import { deployFolder, type Files } from './deploy-folder.js';
import { authorStampManifest, installManifest, monitoringFolder, placeholderImage } from './manifests.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string };
const image = placeholderImage(version);
const all = installation({ parts: partNames, image, guards: false });

const folders: [string, Files][] = [
  ['deploy', deployFolder(image)],
  ['monitoring', monitoringFolder()],
];

test.each(folders)('%s/ has the generated files and no other YAML', (folder, files) => {
  const at = join(root, folder);
  if (process.env.UPDATE_GOLDEN) {
    rmSync(at, { recursive: true, force: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
    }
  }
  const stored = readdirSync(at, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(at, path)).isFile());
  expect(stored.sort()).toEqual([...files.keys()].sort());
  for (const [path, text] of files) expect(readFileSync(join(at, path), 'utf8')).toBe(text);
});

test('install.yaml holds what slipway install applies, in its order', () => {
  const text = installManifest(image);
  expect(parseAllYaml(text)).toEqual(JSON.parse(JSON.stringify(all)));
});

test('author-stamp.yaml holds what slipway install applies more where MutatingAdmissionPolicy is served', () => {
  const withStamp = installation({ parts: partNames, image, guards: false, stampVersion: 'v1' });
  const stamp = parseAllYaml(authorStampManifest()) as KubeObject[];
  expect(stamp.map(({ kind }) => kind)).toEqual(['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding']);
  expect(byName([...all, ...stamp])).toEqual(byName(JSON.parse(JSON.stringify(withStamp))));
});

test.each([[''], ...partNames.map((part) => [`${part}/`])])(
  'kustomize base %j holds the objects of its parts',
  (base) => {
    const parts = base === '' ? partNames : partNames.filter((part) => base === `${part}/`);
    const wanted = installation({ parts, image, guards: false }).filter(
      ({ kind }) => base === '' || kind !== 'Namespace',
    );
    expect(byName(kustomized(deployFolder(image), base))).toEqual(byName(JSON.parse(JSON.stringify(wanted))));
  },
);

test('kubectl apply -R -f deploy reads the namespace first, and nothing but Kubernetes objects', () => {
  const read = [...deployFolder(image)]
    .filter(([path]) => /\.(json|ya?ml)$/.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const objects = read.flatMap(([, text]) => parseAllYaml(text) as KubeObject[]);
  expect(objects[0]?.kind).toBe('Namespace');
  expect(byName(objects)).toEqual(byName(JSON.parse(JSON.stringify(all))));
});

test('every object is labelled, and is of a kind that slipway uninstall deletes or keeps on purpose', () => {
  const kept = ['CustomResourceDefinition', 'Namespace'];
  for (const { kind, metadata } of all) {
    expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'slipway' });
    expect([...removedKinds.map((one) => one.kind), ...kept]).toContain(kind);
  }
});

test('every process runs as an account of the installation and without rights on its machine', () => {
  const accounts = all.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name);
  const workloads = all.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
  expect(workloads).toHaveLength(3);
  for (const { kind, metadata, spec } of workloads) {
    const { containers, ...pod } = spec.template.spec;
    const [container] = containers;
    expect(accounts).toContain(pod.serviceAccountName);
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
      '/healthz',
      '/readyz',
    ]);
    if (kind === 'DaemonSet') continue;
    expect(pod.topologySpreadConstraints).toMatchObject([{ topologyKey: 'kubernetes.io/hostname' }]);
    const budget = all.find(
      (object) => object.kind === 'PodDisruptionBudget' && object.metadata.name === metadata.name,
    );
    expect(budget?.spec.selector).toEqual(spec.selector);
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
  }
});

test('installation() in another namespace names slipway-system nowhere', () => {
  const elsewhere = installation({ parts: partNames, image, guards: false, namespace: 'team-a' });
  expect(JSON.stringify(elsewhere)).not.toContain('slipway-system');
  expect(JSON.stringify(elsewhere).replaceAll('team-a', 'slipway-system')).toBe(JSON.stringify(all));
});

/** Reads a kustomize base as kustomize does. */
function kustomized(files: Files, base: string): readonly KubeObject[] {
  const { resources } = parseYaml(files.get(`${base}Kustomization`) ?? '') as { resources: string[] };
  return resources.flatMap((resource) =>
    files.has(`${base}${resource}/Kustomization`)
      ? kustomized(files, `${base}${resource}/`)
      : (parseAllYaml(files.get(base + resource) ?? '') as KubeObject[]),
  );
}

function byName(objects: readonly KubeObject[]): readonly KubeObject[] {
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
  return [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
