import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { FeatureGate } from '@slipway/feature-gates';
import { type Clock, Kube, type Logger, type Transport } from '@slipway/kube';
import type { User } from '../api-server/request.js';
import type { ApiServer } from '../api-server/server.js';
import { apiServerLease, apiServerLeaseName } from '../controllers/api-server-lease.js';
import { Component, type ComponentRun } from '../controllers/component/component.js';
import { componentGate } from '../controllers/component/component-gates.js';
import { NodeNetwork } from '../kubelet/node-network.js';
import type { NodeSpec } from '../kubelet/node-object.js';
import type { ApiFront } from './api-front.js';
import { bootstrapObjects } from './bootstrap-objects.js';
import type { ComponentName, PinnedGates } from './component-gates.js';
import { LateReporting } from './late-reporting.js';
import { type NodeControl, nodeControl } from './node-control.js';
import { onDemand, onDemandFleet } from './on-demand.js';
import { componentUsers } from './users.js';

export interface ComponentsOptions {
  readonly front: ApiFront;
  /** One run of the API server, which reads its gates from `gate`. */
  readonly newServer: (gate: FeatureGate) => ApiServer;
  readonly transport: (user: User) => Transport;
  readonly version: string;
  readonly pinned: PinnedGates;
  readonly nodes: readonly NodeSpec[];
  readonly serverPort: number;
  readonly caCertificate: string;
  /** UID of a node, undefined while it is not registered. */
  readonly nodeUid: (name: string) => string | undefined;
  /** Folder for the published values last in effect; none are kept without it. */
  readonly gatesFolder: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Every process of a cluster. The API server comes first: the others talk to it. */
export interface Components {
  readonly all: readonly Component[];
  readonly nodes: readonly NodeControl[];
  /** Resolves when the API answers and has the objects every cluster has. */
  startServer(): Promise<void>;
  /** Resolves when every node is Ready and the controllers work. */
  startOthers(): Promise<void>;
  startReporting(): void;
  stopOthers(): Promise<void>;
  stopServer(): Promise<void>;
}

/** Makes the components and starts nothing yet. */
export function components(options: ComponentsOptions): Components {
  const { clock, log, version, pinned, transport } = options;
  const late = new LateReporting();
  const network = new NodeNetwork();
  const kubeOf = (user: User) => new Kube(transport(user), { clock });

  const component = (name: ComponentName, instance: string, user: User, run: (gate: FeatureGate) => ComponentRun) =>
    new Component({
      name,
      instance,
      makeGate: () => componentGate(name, version),
      run,
      report: (gate) => late.report(gate, () => gate.startReporting(reportingOf(name, instance, user))),
    });

  function reportingOf(name: ComponentName, instance: string, user: User) {
    const node = name === 'kubelet' ? { node: instance } : {};
    const uid = name === 'kubelet' ? options.nodeUid(instance) : undefined;
    const owner = uid === undefined ? {} : { owner: { apiVersion: 'v1', kind: 'Node', name: instance, uid } };
    const folder = options.gatesFolder;
    if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const cache = folder === undefined ? {} : { cacheFile: join(folder, `${name}.${instance}.json`) };
    return {
      transport: name === 'kubelet' ? network.through(instance, transport(user)) : transport(user),
      namespace: 'kube-system',
      instance,
      ...node,
      ...owner,
      ...cache,
      dynamicFeatures: ['*'],
      startWithinMs: 200,
      clock,
      log: (line: string) => log.warn(line, { component: name, instance }),
    };
  }

  const { apiServer, controllerManager: manager, scheduler, kubelets } = componentUsers;
  const identity = hostname();
  const server = component('kube-apiserver', apiServerLeaseName(identity), apiServer, (gate) =>
    apiServerRun(options, kubeOf(apiServer), gate, identity),
  );
  const fleet = onDemandFleet({
    kube: kubeOf(kubelets),
    log,
    nodes: options.nodes,
    kubeletVersion: `v${version}.0`,
    network,
  });
  const ofNodes = options.nodes.map(({ name }) => component('kubelet', name, kubelets, () => fleet.kubelet(name)));
  const others = [
    component('kube-controller-manager', identity, manager, (gate) =>
      onDemand(async () => {
        const { controllerManager } = await import('../controllers/controller-manager.js');
        return controllerManager({ kube: kubeOf(manager), log, gate, caCertificate: options.caCertificate });
      }),
    ),
    component('kube-scheduler', identity, scheduler, () =>
      onDemand(async () => {
        const { schedulerRun } = await import('./scheduler-run.js');
        return schedulerRun(kubeOf(scheduler), log);
      }),
    ),
    ...ofNodes,
  ];
  const start = (one: Component) => one.start({ pin: pinned[one.name as ComponentName] });

  return {
    all: [server, ...others],
    nodes: ofNodes.map((kubelet) => nodeControl(kubelet, network, pinned.kubelet)),
    startServer: () => start(server),
    async startOthers() {
      await Promise.all(others.map(start));
    },
    startReporting: () => late.begin(),
    async stopOthers() {
      await Promise.all(others.map((one) => one.stop()));
      await fleet.stop();
    },
    stopServer: () => server.stop(),
  };
}

function apiServerRun(options: ComponentsOptions, kube: Kube, gate: FeatureGate, identity: string): ComponentRun {
  const stopping = new AbortController();
  const lease = apiServerLease({ kube, log: options.log, identity, incarnation: randomUUID() });
  return {
    async start() {
      options.front.switchTo(options.newServer(gate));
      await bootstrapObjects(kube, options.serverPort);
      void lease.start(stopping.signal);
    },
    async stop() {
      stopping.abort(new Error('the API server was stopped'));
    },
  };
}
