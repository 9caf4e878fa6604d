import {
  BalloonPolicy,
  HostPartition,
  Node,
  NodeSize,
  type ObservedNode,
  observedNode,
  Pod,
  readNode,
} from '@slipway/balloons';
import type { Kube, KubeObject } from '@slipway/kube';
import { Source } from './source.js';

/** Nodes with what says how large they are, kept up to date from the first look on. */
export class NodeSources {
  readonly nodes: Source<KubeObject>;
  readonly sizes: Source<NodeSize>;
  readonly policies: Source<BalloonPolicy>;
  readonly pods: Source<KubeObject>;
  /** How machines are shared; none are known to who may not see them. */
  readonly partitions: Source<HostPartition>;

  constructor(kube: Kube) {
    this.nodes = new Source(kube, Node, withoutManagers);
    this.sizes = new Source(kube, NodeSize, withoutManagers);
    this.policies = new Source(kube, BalloonPolicy);
    this.pods = new Source<KubeObject>(kube, Pod, withoutManagers);
    this.partitions = new Source(kube, HostPartition);
    this.pods.informer.addIndex(byNode, ({ spec }) => [spec?.nodeName ?? '']);
  }

  get all() {
    return [this.nodes, this.sizes, this.policies, this.pods] as const;
  }

  get isKnown(): boolean {
    return this.all.every((source) => source.isKnown);
  }

  names(): readonly string[] {
    return this.nodes.informer.lister.list().map(({ metadata }) => metadata.name ?? '');
  }

  /** A node as it is now, as `slipway node list` observes it; undefined when it does not exist. */
  observed(name: string): ObservedNode | undefined {
    const node = this.nodes.informer.lister.get({ name });
    if (!node) return undefined;
    const pods = this.pods.informer.lister.byIndex(byNode, name);
    return observedNode(
      readNode(node),
      this.sizes.informer.lister.get({ name }),
      this.policies.informer.lister.list(),
      pods,
    );
  }

  /** How the nodes of a machine share it; undefined when they do not, or when that is not known. */
  partitionOf(host: string): HostPartition | undefined {
    return this.partitions.informer.lister.list().find(({ spec }) => spec.host === host);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.all, this.partitions].map((source) => source.stop()));
  }
}

const byNode = 'node';

/** Managed fields are half of an object, and nothing here reads them. */
function withoutManagers<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
