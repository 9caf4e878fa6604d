import { errorMessage, type Kube, type KubeObject, slipwaySelectors } from '@slipway/kube';
import { toYaml } from '@slipway/safe-yaml';
import { ClusterObjects } from '../../installation/cluster-objects.js';
import type { Finding } from '../../runtime/finding.js';
import { withoutSecrets, withoutSecretText } from './without-secrets.js';

/** The newest lines of a log that are kept. */
const logLines = 500;

/** Kinds that say how the processes of Slipway are. Secrets and ConfigMaps are not among them, nor are objects of users. */
const processKinds = [
  { group: 'apps', kind: 'Deployment' },
  { group: 'apps', kind: 'DaemonSet' },
  { group: 'coordination.k8s.io', kind: 'Lease' },
];

/**
 * Reads what a maintainer asks for first: all objects of Slipway's own kinds, its processes with their pods, logs and
 * events, and the nodes. A part that cannot be read is an object that says why.
 */
export async function readSupportObjects(kube: Kube, signal: AbortSignal): Promise<readonly object[]> {
  const objects = await ClusterObjects.of(kube, signal);
  const { resources } = await kube.discover(signal);
  const own = resources.filter(({ group, verbs }) => group.endsWith('.slipway.dev') && verbs.includes('list'));
  const processes = await attempt('processes', () => objects.listAll(processKinds, slipwaySelectors.ours));
  const pods = await attempt('pods', () => objects.listAll([{ group: '', kind: 'Pod' }], slipwaySelectors.ours));
  const namespaces = [...new Set([...processes, ...pods].flatMap(({ metadata }) => metadata?.namespace ?? []))].sort();
  const parts = await Promise.all([
    ...own.map(({ group, kind }) => attempt(kind, () => objects.listAll([{ group, kind }], ''))),
    attempt('nodes', () => objects.listAll([{ group: '', kind: 'Node' }], '')),
    ...namespaces.map((namespace) =>
      attempt('events', async () => {
        const all = await objects.listNamespace(namespace, '');
        return all.filter(({ kind }) => kind === 'Event');
      }),
    ),
  ]);
  const logs = await Promise.all(pods.map((pod) => attempt('log', async () => [await logOf(kube, pod, signal)])));
  return [...processes, ...pods, ...parts.flat(), ...logs.flat()];
}

/** Writes findings and objects as YAML documents, without secrets. */
export function supportBundle(findings: readonly Finding[], objects: readonly object[]): string {
  const documents = [{ kind: 'Findings', findings }, ...objects.map((object) => withoutSecrets(object))];
  return documents.map((document) => `---\n${toYaml(document)}`).join('');
}

/** An object of a cluster, or one that says what could not be read. */
type Collected = Partial<Pick<KubeObject, 'metadata'>> & { readonly kind: string };

async function attempt(what: string, read: () => Promise<readonly Collected[]>): Promise<readonly Collected[]> {
  try {
    return await read();
  } catch (error) {
    const unread = { kind: 'Unreadable', what, why: errorMessage(error) };
    return [unread];
  }
}

async function logOf(kube: Kube, { metadata }: Collected, signal: AbortSignal): Promise<Collected> {
  const { namespace, name } = metadata ?? {};
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=${logLines}`;
  const { body } = await kube.transport.request({ method: 'GET', path, signal });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const log = {
    kind: 'Log',
    metadata: { namespace: namespace ?? '', name: name ?? '' },
    text: withoutSecretText(text),
  };
  return log;
}
