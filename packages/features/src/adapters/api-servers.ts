import { featureUseName, leaseDurationSeconds, type Reporting, reportUses } from '@slipway/feature-gates';
import {
  type Access,
  httpsTransport,
  type Informer,
  InformerFactory,
  Kube,
  type Logger,
  type ResourceRef,
  type Runnable,
  sleep,
  stderrLog,
} from '@slipway/kube';
import { FeatureUse } from '../api/feature-use.js';
import { kubernetesNamespace } from '../api/group.js';
import { Renewals } from '../uses/renewals.js';
import { type ApiServerIdentity, addressesIn, assignAddresses, hostsOf } from './api-server-addresses.js';
import { fetchSetGates } from './fetch-component.js';
import { ObservedGates } from './observed-gates.js';

export interface ApiServersOptions {
  readonly kube: Kube;
  /** How the cluster is reached: the same proof is shown to each API server. */
  readonly access: Access;
  readonly log?: Logger | undefined;
  /** Numbers from 0 up to 1. */
  readonly random?: (() => number) | undefined;
}

const component = 'kube-apiserver';
const everyMs = 15_000;
/** API servers renew their identity every 10 s, and leave the lease behind. */
const liveWithinMs = 40_000;

const resource = (group: string, kind: string, plural: string, namespaced: boolean): ResourceRef => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const Lease = resource('coordination.k8s.io', 'Lease', 'leases', true);
const EndpointSlice = resource('discovery.k8s.io', 'EndpointSlice', 'endpointslices', true);
const Node = resource('', 'Node', 'nodes', false);

interface Watched {
  readonly holder: string;
  readonly gates: ObservedGates;
  readonly reporting: Reporting;
  readonly server: string;
}

/**
 * Reports every API server that does not report itself, each from its own metrics page: one page through the
 * service would be that of any of them. Which there are is known from their identity leases; one that cannot be
 * reached by itself is not reported, and is missed by whoever counts.
 */
export class ApiServers implements Runnable {
  readonly name = 'api-servers';
  readonly #options: ApiServersOptions;
  readonly #log: Logger;
  readonly #renewals = new Renewals();
  readonly #watched = new Map<string, Watched>();
  /** API servers whose page could not be read when it was last tried. */
  readonly #unread = new Set<string>();
  readonly #informers: InformerFactory;
  readonly #leases: Informer;
  readonly #slices: Informer;
  readonly #nodes: Informer;
  readonly #deniedPaths = new Set<string>();
  #said: string | undefined;
  #clients: readonly Kube[] = [];
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ApiServersOptions) {
    this.#options = options;
    this.#log = options.log ?? stderrLog;
    this.#informers = new InformerFactory(options.kube, { log: this.#log });
    const identity = { namespace: 'kube-system', labelSelector: `apiserver.kubernetes.io/identity=${component}` };
    const service = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=kubernetes' };
    this.#leases = this.#informers.informer(Lease, identity);
    this.#slices = this.#informers.informer(EndpointSlice, service);
    this.#nodes = this.#informers.informer(Node, { labelSelector: 'node-role.kubernetes.io/control-plane' });
  }

  /** A client of each API server that can be reached by itself. */
  clients(): readonly Kube[] {
    return this.#clients.length > 0 ? this.#clients : [this.#options.kube];
  }

  start(signal: AbortSignal): Promise<void> {
    this.#ended = this.#work(signal);
    return this.#ended;
  }

  async stop(): Promise<void> {
    await this.#ended;
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.kube;
    this.#informers.start();
    await this.#informers.whenSynced(signal).catch(() => {});
    while (!signal.aborted) {
      await this.#look(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#say(`the API servers cannot be read: ${String(error)}`);
      });
      await sleep(clock, everyMs, signal).catch(() => {});
    }
    await this.#informers.stop();
    await Promise.all([...this.#watched.values()].map(({ reporting }) => reporting.stop()));
  }

  async #look(signal: AbortSignal): Promise<void> {
    const identities = this.#live();
    // Whichever API server answers renews its own identity: it is this process that sees nothing of them.
    if (identities.length === 0) return;
    const addresses = assignAddresses(
      identities,
      addressesIn(this.#slices.lister.list()),
      hostsOf(this.#nodes.lister.list()),
    );
    this.#clients = addresses.map(({ server }) => this.#clientOf(server));
    for (const [name, { reporting, server }] of this.#watched) {
      if (addresses.some((one) => one.identity === name && one.server === server)) continue;
      this.#watched.delete(name);
      await reporting.stop();
      await this.#forget(name, signal);
    }
    for (const identity of identities) {
      const server = addresses.find((one) => one.identity === identity.name)?.server;
      if (server !== undefined) await this.#watch(identity, server, signal);
    }
    const hidden = identities.filter(({ name }) => !addresses.some((one) => one.identity === name));
    const names = hidden.map(({ name }) => name).join(', ');
    this.#say(
      hidden.length === 0
        ? undefined
        : `${addresses.length} of ${identities.length} API servers can be read: EndpointSlices of default/kubernetes have no address of ${names}`,
    );
  }

  #live(): readonly ApiServerIdentity[] {
    const nowMs = this.#options.kube.clock.monotonicMs();
    return this.#leases.lister.list().flatMap(({ metadata, spec }) => {
      const { name = '', labels } = metadata;
      this.#renewals.observe(name, spec?.renewTime ?? '', nowMs);
      if (!this.#renewals.isLive(name, nowMs, liveWithinMs)) return [];
      return [{ name, holder: spec?.holderIdentity ?? '', hostname: labels?.['kubernetes.io/hostname'] }];
    });
  }

  /** Another holder is another process: its page is read at once, and before each report. */
  async #watch({ name, holder }: ApiServerIdentity, server: string, signal: AbortSignal): Promise<void> {
    const { kube, random } = this.#options;
    const known = this.#watched.get(name);
    if (known?.holder === holder) return;
    if (!known && (await this.#reportsItself(name, signal))) return;
    const access = this.#accessTo(server);
    const setGates = (fetching: Parameters<typeof fetchSetGates>[1]) => fetchSetGates(access, fetching);
    const gates =
      known?.gates ??
      new ObservedGates({ component, access, setGates, clock: kube.clock, denied: (path) => this.#denied(path) });
    try {
      await gates.look(signal);
    } catch (error) {
      if (!signal.aborted && !this.#unread.has(name)) {
        this.#log.warn('the gates of an API server cannot be read', { server: name, error });
        this.#unread.add(name);
      }
      return;
    }
    this.#unread.delete(name);
    const reporting =
      known?.reporting ??
      reportUses(gates, {
        transport: kube.transport,
        namespace: kubernetesNamespace,
        instance: name,
        clock: kube.clock,
        ...(random && { random }),
        log: (line) => this.#log.warn(line, { server: name }),
      });
    this.#watched.set(name, { holder, gates, reporting, server });
  }

  /** Whether an API server has the library in it, and keeps its own report up. */
  async #reportsItself(name: string, signal: AbortSignal): Promise<boolean> {
    const { kube } = this.#options;
    const ref = { namespace: kubernetesNamespace, name: featureUseName(component, name) };
    const use = await kube.resource(FeatureUse).find(ref, signal);
    const ageMs = kube.clock.now() - Date.parse(use?.spec.renewTime ?? '');
    return use?.spec.source === 'Library' && ageMs < leaseDurationSeconds * 1000;
  }

  /** The report of an API server has no owner, and a deleted server has no report. */
  async #forget(name: string, signal: AbortSignal): Promise<void> {
    const ref = { namespace: kubernetesNamespace, name: featureUseName(component, name) };
    await this.#options.kube
      .resource(FeatureUse)
      .delete(ref, { signal })
      .catch(() => {});
  }

  #denied(path: string): void {
    if (!this.#deniedPaths.has(path)) this.#log.warn('API servers deny a page', { right: `get ${path}` });
    this.#deniedPaths.add(path);
  }

  #accessTo(server: string): Access {
    const { access } = this.#options;
    return { server, credentials: async () => ({ ...(await access.credentials()), servername: 'kubernetes' }) };
  }

  #clientOf(server: string): Kube {
    const { clock } = this.#options.kube;
    return new Kube(httpsTransport(this.#accessTo(server), { clock }), { clock });
  }

  /** Says what is wrong when it changes, and not again and again. */
  #say(problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#said) this.#log.warn(problem);
    this.#said = problem;
  }
}
