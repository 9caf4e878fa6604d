import { epochConfigMap, vectorName } from '@slipway/feature-gates';
import {
  apiVersion,
  type DefinedFeature,
  Feature,
  FeatureUse,
  FeatureVector,
  featureServer,
  kubernetesNamespace as namespace,
} from '@slipway/features';
import { Kube, type KubeObject, type KubeRequest, type Runnable, silentLog, type Transport } from '@slipway/kube';
import { type InMemoryApi, inMemoryApi, ManualClock } from '@slipway/kube/testing';

/** Objects that use a feature. */
export const Widget = { group: 'acme.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };

const Lease = { group: 'coordination.k8s.io', plural: 'leases' };
const Node = { group: '', plural: 'nodes' };

/** An API in memory, processes that report as the library does, and real feature servers. */
export class FeatureWorld {
  readonly clock = new ManualClock();
  readonly api: InMemoryApi = inMemoryApi({ clock: this.clock });
  /** When each FeatureUse was written, and each request of a server that writes. */
  readonly writes: number[] = [];
  /** Sees every request of a server. */
  watch: (request: KubeRequest, server: string) => void = () => {};
  readonly #definition: DefinedFeature;
  readonly #components: readonly string[];
  readonly #nodes: readonly string[];
  readonly #servers: { readonly run: Runnable; readonly stopping: AbortController }[] = [];
  #epoch = 0;

  /** Components whose roster is Nodes share `processes` evenly. */
  constructor(definition: DefinedFeature, processes = 0) {
    this.#definition = definition;
    const { components } = definition.object.spec;
    this.#components = components.map(({ name }) => name);
    const onEachNode = components.some(({ roster }) => roster === 'Nodes');
    const count = onEachNode ? processes / components.length : 1;
    this.#nodes = Array.from({ length: count }, (_, index) => `n${index}`);
    if (!onEachNode) return;
    for (const name of this.#nodes)
      this.api.seed(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });
  }

  /** Starts a server; what is given back kills it. */
  start(identity: string, version = '0.1.0'): () => void {
    let isDead = false;
    const stopping = new AbortController();
    const run = featureServer({
      kube: new Kube(
        this.#transport(identity, () => isDead),
        { clock: this.clock },
      ),
      identity,
      version,
      authors: 'Trust',
      definitions: [this.#definition],
      allowDynamic: ['*'],
      log: silentLog,
    });
    this.#servers.push({ run, stopping });
    void Promise.resolve(run.start(stopping.signal)).catch(() => {});
    return () => {
      isDead = true;
      stopping.abort();
    };
  }

  status() {
    return (this.api.stored(Feature)[0] as Feature | undefined)?.status;
  }

  async edit(spec: object): Promise<void> {
    await new Kube(this.api, { clock: this.clock }).resource(Feature).merge({ name: 'load', namespace }, { spec });
  }

  /** Every process reports at once. */
  report(value: boolean): void {
    for (const component of this.#components) for (const node of this.#nodes) this.#report(component, node, value);
  }

  /** Lets time pass until it is so; processes are asked once a second whether a new round has begun. */
  async until(isSo: () => boolean, stepMs = 1_000): Promise<void> {
    for (let passedMs = 0; !isSo(); passedMs += stepMs) {
      if (passedMs > 1_000_000)
        throw new Error(`not so after ${passedMs} ms: ${JSON.stringify(this.status()?.transition)}`);
      if (this.clock.monotonicMs() % 20_000 < stepMs) this.#renewNodes();
      this.#answerRound();
      await this.clock.advance(stepMs);
    }
  }

  async stop(): Promise<void> {
    for (const { stopping, run } of this.#servers) {
      stopping.abort();
      void Promise.resolve(run.stop?.()).catch(() => {});
    }
    await this.clock.advance(30_000);
  }

  /** Each process takes the published value at once, and reports at a random time of the spread. */
  #answerRound(): void {
    const configMap = this.api
      .stored({ group: '', plural: 'configmaps' })
      .find(({ metadata }) => metadata.name === epochConfigMap);
    const { epoch = '0', spreadSeconds = '10' } = (configMap?.data ?? {}) as Record<string, string>;
    if (Number(epoch) === this.#epoch) return;
    this.#epoch = Number(epoch);
    const spreadMs = Math.max(10, Number(spreadSeconds)) * 1_000;
    for (const component of this.#components) {
      for (const node of this.#nodes) {
        this.clock.after(Math.random() * spreadMs, () =>
          this.#report(component, node, this.status()?.published?.value ?? true),
        );
      }
    }
  }

  #report(component: string, node: string, enabled: boolean): void {
    const gates = [{ name: 'Load', enabled, default: false, stage: 'Alpha', follows: true }];
    const spec = { component, binaryVersion: '1.36.0', gates };
    const name = vectorName(spec);
    if (!this.api.stored(FeatureVector).some(({ metadata }) => metadata.name === name)) {
      this.api.seed(FeatureVector, { apiVersion, kind: 'FeatureVector', metadata: { name, namespace }, spec });
    }
    this.writes.push(this.clock.monotonicMs());
    this.api.seed(FeatureUse, aUse(component, node, name, this.#epoch, this.writes.length));
  }

  #renewNodes(): void {
    if (this.#nodes.length < 2) return;
    for (const name of this.#nodes) {
      const metadata = { name, namespace: 'kube-node-lease' };
      const spec = { renewTime: String(this.clock.now()) };
      this.api.seed(Lease, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
    }
  }

  #transport(server: string, isDead: () => boolean): Transport {
    return {
      request: async (request) => {
        if (isDead()) return new Promise(() => {});
        if (request.path === '/api' || request.path === '/apis') return discovery(request.path);
        if (request.method !== 'GET') this.writes.push(this.clock.monotonicMs());
        this.watch(request, server);
        const answer = await this.api.request(request);
        return isDead() ? new Promise(() => {}) : answer;
      },
      stream: (request, signal) => this.api.stream(request, signal),
    };
  }
}

/** A widget, which uses the feature or does not. */
export function aWidget(index: number, isFancy: boolean): KubeObject {
  const metadata = { name: `w${String(index).padStart(6, '0')}`, namespace: 'default', generation: 1 };
  return { apiVersion: 'acme.io/v1', kind: 'Widget', metadata, spec: { size: index, ...(isFancy && { fancy: 1 }) } };
}

/** Returns what a process writes with every heartbeat. */
function aUse(component: string, instance: string, vector: string, epoch: number, renewed: number): FeatureUse {
  return {
    apiVersion,
    kind: 'FeatureUse',
    metadata: { name: `${component}.${instance}`, namespace },
    spec: {
      component,
      instance,
      node: instance,
      incarnation: 'first',
      binaryVersion: '1.36.0',
      source: 'Library',
      vector,
      epoch,
      renewTime: new Date(renewed).toISOString().replace('Z', '000Z'),
      leaseDurationSeconds: 900,
    },
  };
}

function discovery(path: string) {
  const resource = {
    resource: Widget.plural,
    responseKind: { group: Widget.group, version: 'v1', kind: Widget.kind },
    scope: 'Namespaced',
    singularResource: 'widget',
    verbs: ['list', 'patch'],
  };
  const groups = [{ metadata: { name: Widget.group }, versions: [{ version: 'v1', resources: [resource] }] }];
  return { status: 200, headers: {}, body: { kind: 'APIGroupDiscoveryList', items: path === '/apis' ? groups : [] } };
}
