import type { Cluster } from './cluster.js';
import { ClusterStartError } from './cluster-start-error.js';
import { acceptedFlag, demandComponent, type GateValues } from './component-gates.js';
import { ControlError, type ControlRequest } from './control-socket.js';

/** What the control verb `status` answers. */
export interface ClusterStatus {
  readonly name: string;
  readonly url: string;
  readonly nodes: number;
  readonly dataDir: string | undefined;
  readonly kubeconfig: string | undefined;
}

/**
 * Answers what other processes ask of a running cluster: `{verb: "status"}`,
 * `{verb: "stop"}` (answered once it has stopped) and `{verb: "restart", component,
 * instance?, gates?}`, which pins the gates named and releases all others, and
 * `{verb: "node", action, node}` with one of `nodeActions`.
 */
export function controlVerbs(cluster: Cluster, version: string): (request: ControlRequest) => Promise<unknown> {
  return async ({ verb, ...args }) => {
    switch (verb) {
      case 'status':
        return statusOf(cluster);
      case 'stop':
        return await cluster.stop();
      case 'restart':
        return await restart(cluster, version, args);
      case 'node':
        return await actOnNode(cluster, args);
      default:
        throw new ControlError(`there is no control verb ${JSON.stringify(verb)}`);
    }
  };
}

function statusOf({ name, url, dataDir, kubeconfigPath, components }: Cluster): ClusterStatus {
  const nodes = components.filter((component) => component.name === 'kubelet').length;
  return { name, url, nodes, dataDir, kubeconfig: kubeconfigPath };
}

async function restart(cluster: Cluster, version: string, args: Readonly<Record<string, unknown>>): Promise<void> {
  const { component, instance, gates = {} } = args;
  if (typeof component !== 'string' || !isGateValues(gates))
    throw new ControlError('restart needs a component and gates');
  const pin = refusedAsControl(() => {
    demandComponent(component);
    return acceptedFlag(component, version, gates);
  });
  const meant = cluster.components.filter(
    (one) => one.name === component && (instance === undefined || one.instance === instance),
  );
  if (meant.length === 0) throw new ControlError(`no ${component} is called ${JSON.stringify(instance)}`);
  await Promise.all(meant.map((one) => one.restart(pin === '' ? {} : { pin })));
}

/** What the control verb `node` can be asked to do. */
export const nodeActions = ['stop', 'start', 'partition'] as const;

export type NodeAction = (typeof nodeActions)[number];

async function actOnNode({ nodes }: Cluster, args: Readonly<Record<string, unknown>>): Promise<void> {
  const action = nodeActions.find((each) => each === args.action);
  if (!action) throw new ControlError(`a node can be asked to ${nodeActions.join(', ')}`);
  const node = nodes.find(({ name }) => name === args.node);
  if (node) return await node[action]();
  const names = nodes.map(({ name }) => name).join(', ');
  const hint = names === '' ? 'start it with nodes: slipway up --nodes 3' : `name one of: ${names}`;
  throw new ControlError(`this cluster simulates no node ${JSON.stringify(args.node)}`, hint);
}

function isGateValues(value: unknown): value is GateValues {
  return typeof value === 'object' && value !== null && Object.values(value).every((it) => typeof it === 'boolean');
}

function refusedAsControl<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof ClusterStartError ? new ControlError(error.message, error.hint) : error;
  }
}
