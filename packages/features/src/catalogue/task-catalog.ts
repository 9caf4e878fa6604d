import { type AnalysisSource, type Measure, measureOf } from '../canary/analysis.js';
import { canaryTask } from '../canary/canary-task.js';
import { plannedKinds } from '../lifecycle/plan.js';
import { checkDependencies } from '../tasks/check-dependencies.js';
import { clearCollection } from '../tasks/clear-collection.js';
import { clearFieldTask } from '../tasks/clear-field.js';
import { hideField, showField } from '../tasks/hide-field.js';
import { httpsPost } from '../tasks/https-post.js';
import { installCrd, removeCrd } from '../tasks/install-crd.js';
import { type InstallGuardOptions, installGuard, removeGuard } from '../tasks/install-guard.js';
import { type JobTemplate, jobTask } from '../tasks/job.js';
import { migrateStorage } from '../tasks/migrate-storage.js';
import { publish } from '../tasks/publish.js';
import type { Task } from '../tasks/task.js';
import { verifyClean } from '../tasks/verify-clean.js';
import { waitForNoObjects } from '../tasks/wait-for-no-objects.js';
import { waitForUses } from '../tasks/wait-for-uses.js';
import { type WebhookEndpoint, webhookTask } from '../tasks/webhook.js';

/** The kinds of tasks a server can run. */
export class TaskCatalog {
  readonly #tasks: ReadonlyMap<string, Task>;

  /** @throws RangeError when two tasks have the same kind. */
  constructor(tasks: readonly Task[]) {
    this.#tasks = new Map(tasks.map((task) => [task.kind, task]));
    if (this.#tasks.size < tasks.length) {
      const kinds = tasks.map(({ kind }) => kind);
      throw new RangeError(`task kind ${kinds.find((kind, index) => kinds.indexOf(kind) < index)} is taken`);
    }
  }

  get(kind: string): Task | undefined {
    return this.#tasks.get(kind);
  }

  isDestructive(kind: string): boolean {
    return this.#tasks.get(kind)?.destructive ?? false;
  }

  /** Kinds that a definition may name; the others are put into every plan that needs them. */
  authored(): readonly string[] {
    return [...this.#tasks.keys()].filter((kind) => !plannedKinds.includes(kind));
  }
}

export interface BuiltInTaskOptions {
  /** Time between the two scans that must find nothing. 5 s when absent. */
  readonly verifyGapMs?: number | undefined;
  readonly guard?: InstallGuardOptions | undefined;
  /** What definitions may call by name: their addresses and programs are known to the server alone. */
  readonly local?: LocalTasks | undefined;
}

/** The part of a server's own configuration that its tasks are made from. */
export interface LocalTasks {
  readonly webhooks?: Readonly<Record<string, WebhookEndpoint>>;
  readonly jobs?: Readonly<Record<string, JobTemplate>>;
  /** Measurements by which a canary is judged. */
  readonly analyses?: Readonly<Record<string, AnalysisSource>>;
}

/** Every kind that comes with this package. */
export function builtInTasks(options: BuiltInTaskOptions = {}): readonly Task[] {
  return [
    checkDependencies,
    installGuard(options.guard),
    canaryTask(measuresOf(options.local?.analyses ?? {})),
    publish,
    waitForUses,
    verifyClean(options.verifyGapMs),
    removeGuard,
    clearFieldTask,
    waitForNoObjects,
    clearCollection,
    installCrd,
    removeCrd,
    hideField,
    showField,
    migrateStorage,
    webhookTask(options.local?.webhooks ?? {}, httpsPost),
    jobTask(options.local?.jobs ?? {}),
  ];
}

function measuresOf(sources: Readonly<Record<string, AnalysisSource>>): Readonly<Record<string, Measure>> {
  return Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, measureOf(source, httpsPost)]));
}
