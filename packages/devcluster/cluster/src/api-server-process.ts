import { hostname } from 'node:os';
import type { User } from '@slipway/api-machinery/identity/user';
import type { Random } from '@slipway/api-machinery/json/random';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import type { ApiHandler } from '@slipway/api-server/request/request';
import type { ApiServer } from '@slipway/api-server/server';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { apiServerLease, apiServerLeaseName } from '@slipway/controllers/api-server-lease/api-server-lease';
import { apiServerLeaseCollector } from '@slipway/controllers/api-server-lease/api-server-lease-collector';
import type { FeatureGate } from '@slipway/feature-gates';
import { type Clock, inTurn, Kube, type Logger, type Transport } from '@slipway/kube';
import { announceAddress } from './announce-address.js';
import { apiFront } from './api-front.js';
import { bootstrapOtherRoles } from './bootstrap-roles.js';
import { checkApiServices } from './check-api-services.js';
import { ClusterStartError } from './cluster-start-error.js';
import type { Component, ComponentRun } from './component/component.js';
import { acceptedFlag, flagOf, type GateValues, gateValuesOf } from './component-gates.js';
import type { ComponentMaker } from './component-maker.js';
import { keepAddresses } from './keep-addresses.js';
import { keepFlows } from './keep-flows.js';
import { requireSupported } from './kubernetes-version.js';
import type { Listener } from './listener.js';
import { registerApiServices } from './register-api-services.js';
import { administrator, componentUsers } from './users.js';

/** What an API server is started with. */
export interface ServerSettings {
  /** Kubernetes version that it says it is, such as `1.35`. */
  readonly version: string;
  /** Gates pinned on its command line. */
  readonly featureGates: GateValues;
}

/** One of the API servers of a cluster, seen from outside. */
export interface ServerControl {
  /** 1 for the first. */
  readonly number: number;
  /** Name of its identity lease in kube-system. */
  readonly identity: string;
  /** Where it listens, while it runs. */
  readonly url: string;
  readonly version: string;
  /** Its `--feature-gates` flag; '' for none. */
  readonly featureGates: string;
  readonly isRunning: boolean;
  /** Reaches this very server, in this process. Default: as an administrator. */
  transport(user?: User): Transport;
  /**
   * Starts it with what it ran with last, but for what is `changed`.
   * @throws ClusterStartError AlreadyRunning, BadOption; nothing has changed then
   */
  start(changed?: Partial<ServerSettings>): Promise<void>;
  /** Ends its connections and its watches. Its lease stays, and is not renewed: that is how others notice. */
  stop(): Promise<void>;
  /** @throws ClusterStartError BadOption; it runs on as it was then */
  restart(changed?: Partial<ServerSettings>): Promise<void>;
}

export interface ApiServerProcessOptions {
  readonly number: number;
  readonly version: string;
  readonly listen: (api: ApiHandler) => Listener;
  readonly newServer: (gate: FeatureGate, version: string) => ApiServer;
  /** Makes the objects that a server has from the start. */
  readonly firstObjects: (kube: Kube, minor: number) => Promise<void>;
  readonly maker: ComponentMaker;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** One kube-apiserver: a run of it behind a front, an address of its own, and a lease that says it is there. */
export class ApiServerProcess implements ServerControl {
  readonly number: number;
  readonly identity: string;
  readonly front = apiFront();
  readonly listener: Listener;
  readonly component: Component;
  readonly #options: ApiServerProcessOptions;
  readonly #inTurn = inTurn();
  #version: string;
  #otherRoles: Promise<void> = Promise.resolve();

  constructor(options: ApiServerProcessOptions) {
    const { number, version, maker } = options;
    const host = number === 1 ? hostname() : `${hostname()}-${number}`;
    this.number = number;
    this.identity = apiServerLeaseName(host);
    this.listener = options.listen(this.front);
    this.#options = options;
    this.#version = version;
    this.component = maker.make({
      name: 'kube-apiserver',
      instance: this.identity,
      version: () => this.#version,
      transport: this.transport(componentUsers.apiServer),
      reports: true,
      run: (gate) => this.#run(gate, host),
    });
  }

  get url(): string {
    return this.listener.url;
  }

  get version(): string {
    return this.#version;
  }

  get featureGates(): string {
    return this.component.pin;
  }

  get isRunning(): boolean {
    return this.front.isServing;
  }

  /** Resolves when the roles that no start waits for are there too, or could not be made. */
  allRoles(): Promise<void> {
    return this.#otherRoles;
  }

  transport(user: User = administrator): Transport {
    return inprocTransport(this.front, user);
  }

  start(changed: Partial<ServerSettings> = {}): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isRunning) {
        const hint = `slipway dev server restart ${this.number}`;
        throw new ClusterStartError('AlreadyRunning', `API server ${this.number} is already running`, hint);
      }
      await this.#start(this.#settingsWith(changed));
    });
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  restart(changed: Partial<ServerSettings> = {}): Promise<void> {
    return this.#inTurn(async () => {
      const settings = this.#settingsWith(changed);
      await this.#stop();
      await this.#start(settings);
    });
  }

  #settingsWith(changed: Partial<ServerSettings>): ServerSettings {
    const { version = this.#version, featureGates = gateValuesOf(this.featureGates) } = changed;
    requireSupported(version);
    acceptedFlag('kube-apiserver', version, featureGates);
    return { version, featureGates };
  }

  async #start({ version, featureGates }: ServerSettings): Promise<void> {
    await this.listener.open();
    this.#version = version;
    await this.component.start({ pin: flagOf(featureGates) });
  }

  async #stop(): Promise<void> {
    await this.component.stop();
    this.front.switchTo(undefined);
    await this.listener.close();
  }

  #run(gate: FeatureGate, host: string): ComponentRun {
    const { newServer, firstObjects, clock, random, log } = this.#options;
    const kube = new Kube(this.transport(componentUsers.apiServer), {
      clock,
      random: random.fraction,
      fieldManager: 'kube-apiserver',
    });
    const stopping = new AbortController();
    const work = [
      apiServerLease({ kube, log, identity: host, incarnation: random.uid() }),
      apiServerLeaseCollector({ kube, log }),
      keepFlows({ kube, log }),
      announceAddress({ kube, log, number: this.number, url: this.url }),
      keepAddresses({ kube, log }),
    ];
    return {
      start: async () => {
        const server = newServer(gate, this.#version);
        this.front.switchTo(server);
        work.push(registerApiServices({ kube, definitions: server.definitions, log }));
        work.push(checkApiServices({ kube, remotes: server.remotes, log }));
        const minor = minorOf(this.#version);
        await firstObjects(kube, minor);
        for (const one of work) void one.start(stopping.signal);
        this.#otherRoles = bootstrapOtherRoles(kube, minor).catch((error: unknown) => {
          if (!stopping.signal.aborted) log.warn('some roles of Kubernetes could not be made', { error });
        });
      },
      stop: async () => {
        stopping.abort(new Error('the API server was stopped'));
        await Promise.all(work.map((one) => one.stop?.()));
      },
    };
  }
}
