import { QuantityError } from '@slipway/kube';
import type { Cluster } from './cluster.js';
import { ClusterStartError } from './cluster-start-error.js';
import type { Component } from './component/component.js';
import { acceptedFlag, isGateValues, requireComponent } from './component-gates.js';
import { actOnServer, serverStatus } from './control-servers.js';
import { ControlError, type ControlRequest } from './control-socket.js';
import type { NodeControl } from './node-control.js';

/** What the control verb `status` answers. */
export interface ClusterStatus {
  readonly name: string;
  readonly url: string;
  readonly nodes: number;
  readonly dataDir: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** What the control verb `restart` answers for each component it restarted. */
export interface RestartedComponent {
  readonly component: string;
  readonly instance: string;
  /** Its `--feature-gates` flag; '' for none. */
  readonly featureGates: string;
}

/**
 * Answers what other processes ask of a running cluster: `{verb: "status"}`,
 * `{verb: "stop"}` (answered once it has stopped) and `{verb: "restart", component,
 * instance?, gates?}`, which pins the gates named and releases all others,
 * `{verb: "node", action, node, capacity?}` with one of `nodeActions`, `{verb: "servers"}`, and
 * `{verb: "server", action, server, version?, featureGates?}` with one of `serverActions`.
 */
export function controlVerbs(cluster: Cluster, version: string): (request: ControlRequest) => Promise<unknown> {
  const answer = async ({ verb, ...args }: ControlRequest): Promise<unknown> => {
    switch (verb) {
      case 'status':
        return statusOf(cluster);
      case 'stop':
        return await cluster.stop();
      case 'restart':
        return await restart(cluster, version, args);
      case 'node':
        return await actOnNode(cluster, args);
      case 'servers':
        return cluster.servers.map(serverStatus);
      case 'server':
        return await actOnServer(cluster, args);
      default:
        throw new ControlError(`there is no control verb ${JSON.stringify(verb)}`);
    }
  };
  return (request) => refusedAsControl(() => answer(request));
}

function statusOf({ name, url, dataDir, kubeconfigPath, components }: Cluster): ClusterStatus {
  const nodes = components.filter((component) => component.name === 'kubelet').length;
  return { name, url, nodes, dataDir, kubeconfig: kubeconfigPath };
}

async function restart(
  cluster: Cluster,
  version: string,
  args: Readonly<Record<string, unknown>>,
): Promise<readonly RestartedComponent[]> {
  const { component, instance, gates = {} } = args;
  if (typeof component !== 'string' || !isGateValues(gates))
    throw new ControlError('restart needs a component and gates');
  requireComponent(component);
  const meant = cluster.components.filter(
    (one) =>
      one.name === component && (instance === undefined || one.instance === instance) && !isStopped(cluster, one),
  );
  const versionOf = (one: Component) =>
    cluster.servers.find(({ identity }) => identity === one.instance)?.version ?? version;
  const pin = acceptedFlag(component, version, gates);
  for (const one of meant) acceptedFlag(component, versionOf(one), gates);
  if (meant.length === 0) throw new ControlError(`no ${component} is called ${JSON.stringify(instance)}`);
  await Promise.all(meant.map((one) => one.restart(pin === '' ? {} : { pin })));
  return meant.map((one) => ({ component: one.name, instance: one.instance, featureGates: one.pin }));
}

/** An API server that was stopped stays so until it is started by its number. */
function isStopped({ servers }: Cluster, { instance }: Component): boolean {
  return servers.some(({ identity, isRunning }) => identity === instance && !isRunning);
}

/** What the control verb `node` can be asked to do. */
const nodeActions = ['stop', 'start', 'partition', 'resize'] as const;

export type NodeAction = (typeof nodeActions)[number];

async function actOnNode({ nodes }: Cluster, args: Readonly<Record<string, unknown>>): Promise<void> {
  const action = nodeActions.find((each) => each === args.action);
  if (!action) throw new ControlError(`a node can be asked to ${nodeActions.join(', ')}`);
  const node = nodes.find(({ name }) => name === args.node);
  if (node) return action === 'resize' ? resize(node, args) : await node[action]();
  const names = nodes.map(({ name }) => name).join(', ');
  const hint = names === '' ? 'start it with nodes: slipway up --nodes 3' : `name one of: ${names}`;
  throw new ControlError(`this cluster simulates no node ${JSON.stringify(args.node)}`, hint);
}

function resize(node: NodeControl, { capacity }: Readonly<Record<string, unknown>>): void {
  if (!isAmounts(capacity)) throw new ControlError('resize needs amounts', "name some, such as { cpu: '8' }");
  try {
    node.setCapacity(capacity);
  } catch (error) {
    if (!(error instanceof QuantityError || error instanceof RangeError)) throw error;
    throw new ControlError(error.message, 'name an amount such as 8 or 32Gi');
  }
}

function isAmounts(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return false;
  const amounts = Object.values(value);
  return amounts.length > 0 && amounts.every((amount) => typeof amount === 'string');
}

/** Refusals that people can do something about reach them with their hint. */
async function refusedAsControl<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ClusterStartError ? new ControlError(error.message, error.hint) : error;
  }
}
