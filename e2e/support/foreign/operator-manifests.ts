import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllYaml } from '@slipway/safe-yaml';
import { kubectlProgram, run } from '../slipway.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A Service that leads to a server of an operator. */
export interface ServerService {
  readonly namespace: string;
  readonly name: string;
}

/** Not of `apps`: the program runs beside the cluster. Nor kinds of other operators. */
const groups = [
  '',
  'rbac.authorization.k8s.io',
  'apiextensions.k8s.io',
  'admissionregistration.k8s.io',
  'apiregistration.k8s.io',
];

/**
 * Reads definitions, configurations of webhooks, accounts and roles from YAML files, folders of them and kustomizations.
 * Services are left out.
 */
export async function readManifests(paths: readonly string[]): Promise<object[]> {
  const texts = await Promise.all(paths.map(textsOf));
  const objects = texts.flat().flatMap((text) => parseAllYaml(text) as Manifest[]);
  return objects.filter((object) => object && groups.includes(groupOf(object)) && object.kind !== 'Service');
}

/** Leaves out APIServices, for an operator without a server for them. */
export function withoutApiServices(manifests: readonly object[]): object[] {
  return manifests.filter((object) => (object as Manifest).kind !== 'APIService');
}

/** The services that webhooks and APIServices in the manifests name. */
export function serverServices(manifests: readonly object[]): ServerService[] {
  const found = new Map<string, ServerService>();
  forEachClient(manifests, ({ service: { namespace, name } }) => {
    found.set(`${name}.${namespace}`, { namespace, name });
  });
  return [...found.values()];
}

/**
 * Has webhooks and API servers called at ports of localhost: as services, which are the name of another host.
 * @param caBundle in base64; undefined where the operator itself writes it
 */
export function callOnLoopback(
  manifests: readonly object[],
  ports: Readonly<Record<Caller, number>>,
  caBundle: string | undefined,
): object[] {
  forEachClient(manifests, (client, caller) => {
    client.service.port = ports[caller];
    if (caBundle !== undefined) client.caBundle = caBundle;
  });
  return serverServices(manifests).flatMap(({ namespace, name }) => [
    namespaceOf(namespace),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
  ]);
}

/** A Namespace. */
export function namespaceOf(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** A ServiceAccount. */
export function accountOf(metadata: { readonly namespace: string; readonly name: string }): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
}

interface ServiceClient {
  readonly service: ServerService & { port?: number };
  caBundle?: string;
}

type Caller = 'webhook' | 'APIService';

function forEachClient(manifests: readonly object[], act: (client: ServiceClient, caller: Caller) => void): void {
  for (const object of manifests as readonly (Manifest & { spec?: ServiceClient })[]) {
    if (object.kind === 'APIService' && object.spec?.service) act(object.spec, 'APIService');
    else forEachWebhook(object, (client) => act(client, 'webhook'));
  }
}

function forEachWebhook(value: unknown, act: (client: ServiceClient) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'clientConfig' && inner.service !== undefined) act(inner);
    else forEachWebhook(inner, act);
  }
}

function groupOf({ apiVersion }: Manifest): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

async function textsOf(path: string): Promise<string[]> {
  if (!statSync(path).isDirectory()) return [readFileSync(path, 'utf8')];
  if (existsSync(join(path, 'kustomization.yaml'))) {
    // From within: kustomize takes a path with `@` for the address of a repository.
    const { code, stdout, stderr } = await run(kubectlProgram(), ['kustomize', '.'], { cwd: path });
    if (code !== 0) throw new Error(`kubectl kustomize ${path}: ${stderr}`);
    return [stdout];
  }
  const names = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
  return names.sort().map((name) => readFileSync(join(path, name), 'utf8'));
}
