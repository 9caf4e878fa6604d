import { type GateSource, type ReportedGate, readPublished } from '@slipway/feature-gates';
import type { KubeObject } from '@slipway/kube';

/** The component that the gate is reported for: a pull daemon together with the agent that brings it the limit of the cluster. */
export const pullsComponent = 'slipway-pulls';
const gateName = 'ParallelImagePullLimit';

/**
 * Whether the limit of the cluster may apply on this node. `pinned`: the daemon was started with its gate off, so that
 * it takes none. `unknown` until both daemon and API server were heard.
 */
export type GatePosition = 'unknown' | 'pinned' | 'on' | 'off';

/**
 * The gate `ParallelImagePullLimit` of one node. It follows the value that its Feature publishes, and is reported as on or
 * off once the daemon has been brought there: a node that still has the limit of the cluster never counts as off.
 */
export class PullLimitGate {
  readonly #node: string;
  readonly #listeners = new Set<(what: 'values') => void>();
  #page: GateSource | undefined;
  #feature: KubeObject | undefined;
  #isFeatureKnown = false;
  #inEffect: boolean | undefined;
  readonly #settled: Promise<void>;
  #settle = () => {};

  constructor(node: string) {
    this.#node = node;
    this.#settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get position(): GatePosition {
    const own = this.#page?.list().find(({ name }) => name === gateName);
    if (!own || !this.#isFeatureKnown) return 'unknown';
    if (!own.enabled) return 'pinned';
    const follower = { component: pullsComponent, instance: this.#node, node: this.#node };
    const { published } = readPublished(this.#feature, follower) ?? {};
    return typeof published === 'object' && !published.value ? 'off' : 'on';
  }

  /** Takes the Feature of the gate; undefined while there is none. */
  hear(feature: KubeObject | undefined): void {
    this.#feature = feature;
    this.#isFeatureKnown = true;
  }

  /** Called after the daemon was brought to a position of the gate. */
  reached(position: 'on' | 'off'): void {
    const isOn = position === 'on';
    this.#settle();
    if (this.#inEffect === isOn) return;
    this.#inEffect = isOn;
    for (const listener of this.#listeners) listener('values');
  }

  /** Wraps the gates that the page of the daemon shows, so that this one is reported as it is in effect. */
  over(page: GateSource): GateSource {
    this.#page = page;
    const listeners = this.#listeners;
    const describe = (gate: ReportedGate) => this.#describe(gate);
    const untilSettled = () => (this.position === 'pinned' ? Promise.resolve() : this.#settled);
    return {
      component: page.component,
      get binaryVersion() {
        return page.binaryVersion;
      },
      get emulationVersion() {
        return page.emulationVersion;
      },
      get minCompatibilityVersion() {
        return page.minCompatibilityVersion;
      },
      get observed() {
        return page.observed;
      },
      list: () => page.list().map(describe),
      subscribe(changed) {
        const inner = page.subscribe?.(changed);
        listeners.add(changed);
        return {
          close() {
            inner?.close();
            listeners.delete(changed);
          },
        };
      },
      async refresh(signal) {
        await page.refresh?.(signal);
        await untilSettled();
      },
    };
  }

  #describe(gate: ReportedGate): ReportedGate {
    if (gate.name !== gateName) return gate;
    if (!gate.enabled) return { ...gate, set: true };
    return { ...gate, enabled: this.#inEffect ?? true, follows: true };
  }
}
