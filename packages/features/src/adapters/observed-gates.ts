import type { GateSource, ObservedProcess, ReportedGate } from '@slipway/feature-gates';
import type { Clock } from '@slipway/kube';
import type { ComponentPage } from './component-page.js';
import { fetchComponentPage } from './fetch-component.js';
import type { PageAccess, PageFetching } from './fetch-page.js';

export interface ObservedGatesOptions {
  readonly component: string;
  /** Where its metrics page is. */
  readonly access: PageAccess;
  /** Gates set explicitly; undefined where that cannot be seen. Requested once for each start of the process. */
  readonly setGates?: ((fetching: PageFetching) => Promise<ReadonlyMap<string, boolean> | undefined>) | undefined;
  readonly clock: Clock;
  /** Called with the path of a page to which this process lacks the right. */
  readonly denied?: ((path: string) => void) | undefined;
}

/**
 * The gates of a component that knows nothing of us, read from its metrics page. Give it to
 * `reportUses`, which looks again before each report.
 */
export class ObservedGates implements GateSource {
  readonly component: string;
  readonly #options: ObservedGatesOptions;
  readonly #listeners = new Set<(what: 'values') => void>();
  #page: ComponentPage | undefined;
  #set: ReadonlyMap<string, boolean> | undefined;

  constructor(options: ObservedGatesOptions) {
    this.component = options.component;
    this.#options = options;
  }

  get binaryVersion(): string {
    return this.#seen.binaryVersion ?? 'unknown';
  }

  get emulationVersion(): string | undefined {
    return this.#seen.emulation;
  }

  get minCompatibilityVersion(): string | undefined {
    return this.#seen.minCompatibility;
  }

  /** The process that was seen last. */
  get observed(): ObservedProcess {
    const { startSeconds } = this.#seen;
    if (startSeconds === undefined) return { source: 'Metrics', incarnation: 'unknown' };
    const startTime = new Date(startSeconds * 1000).toISOString();
    return { source: 'Metrics', incarnation: String(startSeconds), startTime };
  }

  list(): readonly ReportedGate[] {
    return this.#seen.gates.map((gate) => (this.#set?.has(gate.name) ? { ...gate, set: true } : gate));
  }

  subscribe(changed: (what: 'values') => void): { close(): void } {
    this.#listeners.add(changed);
    return { close: () => this.#listeners.delete(changed) };
  }

  /**
   * Reads the page again, and tells who subscribed. Resolves with whether it is that of another process.
   * @throws PageError
   */
  async look(signal: AbortSignal): Promise<boolean> {
    const { access, setGates, clock, denied } = this.#options;
    const fetching = { clock, signal, denied };
    const page = await fetchComponentPage(access, fetching);
    const isAnother = page.startSeconds !== this.#page?.startSeconds || this.#page === undefined;
    if (isAnother) this.#set = await setGates?.(fetching);
    this.#page = page;
    for (const listener of this.#listeners) listener('values');
    return isAnother;
  }

  async refresh(signal: AbortSignal): Promise<void> {
    await this.look(signal);
  }

  get #seen(): ComponentPage {
    return this.#page ?? { gates: [] };
  }
}
