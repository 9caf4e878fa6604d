import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllYaml } from '@slipway/safe-yaml';
import { kubectlProgram, run } from '../slipway.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A Service that serves the webhooks of an operator. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
}

/** Not of `apps` or `apiregistration.k8s.io`: the program runs beside the cluster. Nor kinds of other operators. */
const groups = ['', 'rbac.authorization.k8s.io', 'apiextensions.k8s.io', 'admissionregistration.k8s.io'];

/**
 * Reads definitions, configurations of webhooks, accounts and roles from YAML files, folders of them and kustomizations.
 * Services are left out.
 */
export async function readManifests(paths: readonly string[]): Promise<object[]> {
  const texts = await Promise.all(paths.map(textsOf));
  const objects = texts.flat().flatMap((text) => parseAllYaml(text) as Manifest[]);
  return objects.filter((object) => object && groups.includes(groupOf(object)) && object.kind !== 'Service');
}

/** The services that webhooks in the manifests name. */
export function webhookServices(manifests: readonly object[]): WebhookService[] {
  const found = new Map<string, WebhookService>();
  forEachClient(manifests, ({ service }) => found.set(`${service.name}.${service.namespace}`, service));
  return [...found.values()];
}

/**
 * Has the webhooks called at a port of localhost: as services, which are the name of another host.
 * @param caBundle in base64; undefined where the operator itself writes it
 */
export function callOnLoopback(manifests: readonly object[], port: number, caBundle: string | undefined): object[] {
  forEachClient(manifests, (client) => {
    client.service.port = port;
    if (caBundle !== undefined) client.caBundle = caBundle;
  });
  return webhookServices(manifests).flatMap(({ namespace, name }) => [
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
  readonly service: WebhookService & { port?: number };
  caBundle?: string;
}

function forEachClient(value: unknown, act: (client: ServiceClient) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'clientConfig' && inner.service !== undefined) act(inner);
    else forEachClient(inner, act);
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
