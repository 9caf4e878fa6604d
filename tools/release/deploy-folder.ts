import type { KubeObject } from '@slipway/kube';
import { toYaml } from '@slipway/safe-yaml';
import { installation, type PartName, partNames } from 'slipway/installation';

/** Text of files by their path below a folder. */
export type Files = ReadonlyMap<string, string>;

/** The start of every generated YAML file. */
export const generated = '# Generated: UPDATE_GOLDEN=1 npx vitest run --project unit tools/release/manifests.test.ts\n';

/** Returns every object of a whole installation. */
export function everything(image: string): readonly KubeObject[] {
  return installation({ parts: partNames, image, guards: false });
}

/** Version of MutatingAdmissionPolicy in what is shipped; `slipway install` takes the one that the server has. */
const stampVersion = 'v1';

/** Returns the objects with which the API server fills in `author`: what an installation has more where they are served. */
export function authorStamp(image: string, namespace?: string): readonly KubeObject[] {
  const options = { parts: ['features'], image, guards: false, ...(namespace !== undefined && { namespace }) } as const;
  const kinds = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'];
  return installation({ ...options, stampVersion }).filter(({ kind }) => kinds.includes(kind));
}

/** Writes objects as one YAML stream. */
export function manifest(objects: readonly KubeObject[]): string {
  return generated + objects.map((object) => toYaml(object)).join('---\n');
}

const namespaceFile = '00-namespace.yaml';

/**
 * Returns the files of `deploy/`: for `kubectl apply -R -f`, which sorts by path, so that the namespace comes first, and for
 * `kubectl apply -k`, of everything or of one part. A file called Kustomization has no suffix, and `-R -f` skips it.
 */
export function deployFolder(image: string): Files {
  const objects = everything(image);
  const ofParts = partNames.flatMap((part) => partFiles(part, image));
  return new Map([
    [namespaceFile, manifest(objects.filter(isNamespace))],
    ['Kustomization', kustomization([namespaceFile, ...partNames])],
    ...ofParts,
  ]);
}

function partFiles(part: PartName, image: string): [string, string][] {
  const objects = installation({ parts: [part], image, guards: false }).filter((object) => !isNamespace(object));
  const names = [...new Set(objects.map(fileOf))].sort();
  return [
    [`${part}/Kustomization`, kustomization(names)],
    ...names.map((name): [string, string] => [
      `${part}/${name}`,
      manifest(objects.filter((object) => fileOf(object) === name)),
    ]),
  ];
}

function fileOf({ apiVersion, kind }: KubeObject): string {
  if (kind === 'CustomResourceDefinition') return 'crds.yaml';
  if (apiVersion.startsWith('admissionregistration.k8s.io/')) return 'admission-policies.yaml';
  return apiVersion.startsWith('apps/') || apiVersion.startsWith('policy/') ? 'workloads.yaml' : 'rbac.yaml';
}

function kustomization(resources: readonly string[]): string {
  return generated + toYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources });
}

function isNamespace({ kind }: KubeObject): boolean {
  return kind === 'Namespace';
}
