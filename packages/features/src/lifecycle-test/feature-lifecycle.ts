import {
  errorMessage,
  findCondition,
  hasReason,
  type Kube,
  type KubeObject,
  type ObjectRef,
  sleep,
} from '@slipway/kube';
import { Feature } from '../api/feature.js';
import type { FeatureDefinition } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import type { Target } from '../api/target.js';
import { tryGuard } from '../guards/prove-guard.js';
import { ChangeRefusedError } from '../operations/change-refused.js';
import { previewApproval, previewChange } from '../operations/preview-change.js';
import { approveTransition, requestChange } from '../operations/request-change.js';
import { resourceOf } from '../references/collection.js';
import { scanReferences } from '../references/scan.js';
import { differences, type Snapshot, snapshot } from './snapshot.js';

export interface LifecycleOptions {
  /** A cluster with a feature server and with processes that report the gate. No other client may be using it. */
  readonly kube: Kube;
  readonly definition: FeatureDefinition;
  /** Sets the gate of the processes, for features that they do not take from the API. */
  readonly setFlag?: (value: boolean) => Promise<void>;
  /** Ends the server that leads the feature, in the middle of a transition, and brings another up. */
  readonly killLeader?: () => Promise<void>;
  /** How long one transition may take. 60 s when absent. */
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
  /** Is told each step as it ends. */
  readonly onStep?: (step: LifecycleStep) => void;
}

export interface LifecycleStep {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** What was found, in one line. */
  readonly detail: string;
}

export interface LifecycleReport {
  readonly gate: string;
  readonly passed: boolean;
  readonly steps: readonly LifecycleStep[];
}

/** A feature did not come through on, use, off and on again as it should. */
export class LifecycleError extends Error {
  override readonly name = 'LifecycleError';
  readonly report: LifecycleReport;

  constructor(report: LifecycleReport) {
    const failed = report.steps.filter(({ result }) => result === 'failed');
    super(`${report.gate}: ${failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ')}`);
    this.report = report;
  }
}

/** The same as `featureLifecycle`, for tests. @throws LifecycleError when a step fails. */
export async function demandLifecycle(options: LifecycleOptions): Promise<LifecycleReport> {
  const report = await featureLifecycle(options);
  if (!report.passed) throw new LifecycleError(report);
  return report;
}

/**
 * Plays a feature through its whole life: off, on, used by the examples of its
 * definition, off again, compared with the beginning, and on again, when no old value
 * may come back. Ends with the feature off and the examples removed. The first step
 * that fails ends it.
 */
export async function featureLifecycle(options: LifecycleOptions): Promise<LifecycleReport> {
  const { definition, onStep = () => {} } = options;
  const steps: LifecycleStep[] = [];
  const life = new Life(options);
  try {
    for (const [name, play] of life.story()) {
      const step = await played(name, play);
      steps.push(step);
      onStep(step);
      if (step.result === 'failed') break;
    }
  } finally {
    await life.removeExamples();
  }
  return { gate: definition.spec.gate, passed: steps.every(({ result }) => result !== 'failed'), steps };
}

/** What a step found: a line, or that there was nothing to be tried. */
type Found = string | { readonly skipped: string };

async function played(name: string, play: () => Promise<Found>): Promise<LifecycleStep> {
  try {
    const found = await play();
    return typeof found === 'string'
      ? { name, result: 'passed', detail: found }
      : { name, result: 'skipped', detail: found.skipped };
  } catch (error) {
    return { name, result: 'failed', detail: errorMessage(error) };
  }
}

const stateless = { skipped: 'the definition names nothing that could be left behind' };
const lookEveryMs = 100;
/** A cluster in which nothing is written for so long is at rest. */
const restMs = 1_000;
/** How long what examples own may take to go with them. */
const collectedWithinMs = 30_000;

class Life {
  readonly #options: LifecycleOptions;
  readonly #kube: Kube;
  readonly #signal: AbortSignal;
  readonly #ref: ObjectRef;

  constructor(options: LifecycleOptions) {
    const { name = '', namespace } = options.definition.metadata;
    this.#options = options;
    this.#kube = options.kube;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#ref = { name, namespace };
  }

  story(): readonly (readonly [string, () => Promise<Found>])[] {
    const { spec } = this.#options.definition;
    const isUsed = (spec.references ?? []).length > 0;
    let pristine: Snapshot;
    return [
      [
        'off to begin with',
        async () => {
          await this.#announced();
          await this.#turn('Off');
          pristine = await this.#atRest();
          return `${pristine.size} objects`;
        },
      ],
      ['on', () => this.#turn('On')],
      ['used', async () => (isUsed ? await this.#use() : stateless)],
      ['kept out while turning off', () => this.#keptOut(isUsed)],
      ['off', () => this.#reach('Off', true)],
      ['on again', () => this.#turn('On')],
      ['no old value came back', async () => (isUsed ? await this.#noneInUse() : stateless)],
      ['turned around half-way', () => this.#turnAround()],
      ['as at the beginning', async () => await this.#same(pristine)],
    ];
  }

  async removeExamples(): Promise<void> {
    for (const [client, example] of (await this.#examples()).flatMap((known) => (known ? [known] : []))) {
      const { name = '', namespace } = example.metadata;
      await client.delete({ name, namespace }, { propagationPolicy: 'Background', gracePeriodSeconds: 0 });
    }
  }

  /** A definition that was just made has no Feature for a moment. */
  async #announced(): Promise<void> {
    const { withinMs = 60_000 } = this.#options;
    for (let waitedMs = 0; waitedMs < withinMs; waitedMs += lookEveryMs) {
      if (await this.#kube.resource(Feature).find(this.#ref, this.#signal)) return;
      await sleep(this.#kube.clock, lookEveryMs, this.#signal);
    }
    throw new Error(`no feature server has announced it within ${withinMs / 1_000} s`);
  }

  async #ask(to: Target): Promise<void> {
    await this.#options.setFlag?.(to === 'On');
    const feature = await this.#feature();
    const preview = await previewChange(this.#kube, feature, to, this.#signal);
    await requestChange(this.#kube, preview, { consent: true, signal: this.#signal });
  }

  async #turn(to: Target): Promise<string> {
    await this.#ask(to);
    return this.#reach(to, false);
  }

  /** Waits for a state. What only people may remove is removed as they would, where the story calls for it. */
  async #reach(to: Target, mayRemove: boolean): Promise<string> {
    const { withinMs = 60_000 } = this.#options;
    const sinceMs = this.#kube.clock.now();
    for (;;) {
      const { status, metadata } = await this.#feature();
      const tookMs = this.#kube.clock.now() - sinceMs;
      const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
      const dangling = findCondition(status?.conditions ?? [], 'DanglingReferences');
      const isLookedAt = to === 'On' || (dangling?.status ?? 'Unknown') !== 'Unknown';
      if (isSeen && status?.state === to && isLookedAt) {
        if (to === 'Off' && dangling?.status !== 'False') throw new Error(`off, and ${dangling?.message}`);
        return `${(tookMs / 1_000).toFixed(1)} s`;
      }
      const blocked = findCondition(status?.conditions ?? [], 'Blocked');
      // Turned around faster than the server wrote, the consent given was to another plan.
      if (blocked?.reason === 'NeedsApproval') await this.#agree();
      if (mayRemove && blocked?.reason === 'ObjectsRemain') await this.removeExamples();
      if (tookMs > withinMs) {
        const next = status?.transition?.tasks[0];
        const why = next
          ? `${next.name} waits: ${next.message ?? next.reason ?? next.phase}`
          : (blocked?.message ?? '');
        throw new Error(`not ${to} but ${status?.state} after ${withinMs / 1_000} s; ${why}`);
      }
      await sleep(this.#kube.clock, lookEveryMs, this.#signal);
    }
  }

  async #agree(): Promise<void> {
    try {
      const shown = await previewApproval(this.#kube, await this.#feature(), this.#signal);
      await approveTransition(this.#kube, shown, { signal: this.#signal });
    } catch (error) {
      if (!(error instanceof ChangeRefusedError)) throw error;
    }
  }

  async #use(): Promise<string> {
    const examples = await this.#examples();
    if (examples.length === 0) throw new Error('the definition has references and no exercise that uses them');
    for (const known of examples) {
      if (!known) throw new Error('the cluster does not serve a kind that the exercise is of');
      const [client, example] = known;
      await client.create(example, { signal: this.#signal }).catch((error: unknown) => {
        if (!hasReason(error, 'AlreadyExists')) throw error;
      });
    }
    const { count } = await this.#scan();
    if (count === 0) throw new Error('the exercise does not use the feature: no reference leads to it');
    return `${count} objects use it`;
  }

  async #keptOut(isUsed: boolean): Promise<Found> {
    await this.#ask('Off');
    if (!isUsed) return stateless;
    const guard = await this.#guardOf();
    await this.#options.killLeader?.();
    if (!guard) return { skipped: 'the cluster has no guards' };
    const { spec } = this.#options.definition;
    const trial = await tryGuard(this.#kube, spec, guard, { signal: this.#signal });
    if (trial === 'let in') throw new Error('a new object could use the feature');
    return trial === 'kept out' ? guard.join(', ') : { skipped: 'no trial write could show it' };
  }

  /** The guard, once it was installed; undefined when the transition goes on without one. */
  async #guardOf(): Promise<readonly string[] | undefined> {
    const { withinMs = 60_000 } = this.#options;
    for (let waitedMs = 0; waitedMs < withinMs; waitedMs += lookEveryMs) {
      const { status } = await this.#feature();
      if (status?.guard) return status.guard.policies;
      if (status?.transition?.completed.some(({ kind }) => kind === 'InstallGuard') || status?.state === 'Off') break;
      await sleep(this.#kube.clock, lookEveryMs, this.#signal);
    }
    return undefined;
  }

  async #noneInUse(): Promise<string> {
    const { count, samples } = await this.#scan();
    if (count > 0) throw new Error(`${count} objects use it again: ${samples.map(({ name }) => name).join(', ')}`);
    return 'no object uses it';
  }

  /** Off, on and off again without waiting: the last word counts. */
  async #turnAround(): Promise<string> {
    for (const to of ['Off', 'On', 'Off'] as const) await this.#ask(to);
    return this.#reach('Off', true);
  }

  /** What the cluster holds once others have stopped writing: one that has just started is not done with itself. */
  async #atRest(): Promise<Snapshot> {
    let before = await snapshot(this.#kube, this.#signal);
    for (let waitedMs = 0; waitedMs < collectedWithinMs; waitedMs += restMs) {
      await sleep(this.#kube.clock, restMs, this.#signal);
      const now = await snapshot(this.#kube, this.#signal);
      if (differences(before, now).length === 0) return now;
      before = now;
    }
    throw new Error('another client keeps writing to the cluster');
  }

  async #same(pristine: Snapshot): Promise<string> {
    await this.removeExamples();
    for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
      const found = differences(pristine, await snapshot(this.#kube, this.#signal));
      if (found.length === 0) return 'nothing was left behind';
      if (waitedMs > collectedWithinMs) throw new Error(`left behind: ${found.slice(0, 5).join(', ')}`);
      await sleep(this.#kube.clock, lookEveryMs, this.#signal);
    }
  }

  async #feature(): Promise<Feature> {
    return this.#kube.resource(Feature).get(this.#ref, this.#signal);
  }

  #scan() {
    const { spec, metadata } = this.#options.definition;
    const { references = [] } = spec;
    const namespace = reachOf(spec, metadata.namespace);
    const nowMs = this.#kube.clock.now();
    return scanReferences({ kube: this.#kube, references, namespace, pageSize: 500, nowMs, signal: this.#signal });
  }

  /** The examples with their clients; undefined for one whose kind the cluster does not have, or not yet. */
  async #examples() {
    const discovery = await this.#kube.discover();
    return (this.#options.definition.spec.exercise ?? []).map((example: KubeObject) => {
      const resource = resourceOf(discovery, example);
      if (!resource) return undefined;
      const namespace = resource.namespaced ? { namespace: example.metadata.namespace ?? 'default' } : {};
      return [this.#kube.resource(resource), { ...example, metadata: { ...example.metadata, ...namespace } }] as const;
    });
  }
}
