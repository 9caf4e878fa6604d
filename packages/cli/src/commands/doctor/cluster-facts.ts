import { NodeSize } from '@slipway/balloons';
import { AuthorPolicyState, Feature, isNotInstalled, readServerLiveness, type ServerLiveness } from '@slipway/features';
import {
  CustomResourceDefinition,
  errorMessage,
  type Kube,
  type KubeObject,
  type Lease,
  leases,
  slipwaySelectors,
} from '@slipway/kube';
import { ClusterObjects } from '../../installation/cluster-objects.js';

/** Something that was read from a cluster, or why it could not be. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** What the state of Slipway on a cluster is judged by. */
export interface ClusterFacts {
  /** Of the API server, such as `v1.37.2`. */
  readonly version: Read<string>;
  /** The clock of the API server less that of this machine. */
  readonly aheadMs: number;
  readonly definitions: Read<readonly KubeObject[]>;
  /** Deployments and DaemonSets of Slipway. */
  readonly workloads: Read<readonly KubeObject[]>;
  readonly features: Read<readonly Feature[]>;
  readonly servers: Read<ServerLiveness>;
  /** What is wrong with the admission policy that vouches for authors; undefined when it is in force. */
  readonly authorProblem: Read<string | undefined>;
  readonly sizes: Read<readonly NodeSize[]>;
  /** The lease of the process that resizes nodes. */
  readonly balloonLeases: Read<readonly Lease[]>;
  /** By the clock of the API server. */
  readonly nowMs: number;
}

export const balloonLease = 'slipway-balloon-controller';

/**
 * Reads what a diagnosis needs, and changes nothing. A part that may not be read is a problem in its place.
 * @throws errors of a cluster that does not answer at all
 */
export async function readClusterFacts(kube: Kube, signal: AbortSignal): Promise<ClusterFacts> {
  const { body, headers, status } = await kube.transport.request({ method: 'GET', path: '/version', signal });
  const servedMs = Date.parse(headers.date ?? '');
  // The header has whole seconds.
  const nowMs = Number.isNaN(servedMs) ? kube.clock.now() : servedMs + 500;
  const objects = await ClusterObjects.of(kube, signal);
  const listed = async <T extends KubeObject>(resource: Parameters<typeof kube.resource<T>>[0]) => {
    try {
      return (await kube.resource(resource).list({ signal })).items;
    } catch (error) {
      if (isNotInstalled(error)) return [];
      throw error;
    }
  };
  const features = await reading(() => listed(Feature));
  const known = 'value' in features ? features.value : [];
  const kinds = ['Deployment', 'DaemonSet'].map((kind) => ({ group: 'apps', kind }));
  const [definitions, workloads, servers, authorProblem, sizes, balloonLeases] = await Promise.all([
    reading(() => listed(CustomResourceDefinition)),
    reading(() => objects.listAll(kinds, slipwaySelectors.ours)),
    reading(() => readServerLiveness(kube, known, signal)),
    reading(() => new AuthorPolicyState(kube).problem(signal)),
    reading(() => listed(NodeSize)),
    reading(async () => (await listed(leases)).filter(({ metadata }) => metadata.name === balloonLease)),
  ]);
  const version = status === 200 ? { value: String(Object(body).gitVersion) } : { problem: `status ${status}` };
  const aheadMs = nowMs - kube.clock.now();
  return {
    version,
    aheadMs,
    definitions,
    workloads,
    features,
    servers,
    authorProblem,
    sizes,
    balloonLeases,
    nowMs,
  };
}

async function reading<T>(read: () => Promise<T>): Promise<Read<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}
