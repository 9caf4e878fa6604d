import { isAllowed } from '@slipway/feature-gates';
import type { Kube, Lister } from '@slipway/kube';
import type { Dangling } from '../api/dangling.js';
import { durationMs } from '../api/duration.js';
import type { Cleanup, Feature } from '../api/feature.js';
import type { FeatureDefinition, FeatureDefinitionSpec } from '../api/feature-definition.js';
import { kubernetesNamespace } from '../api/group.js';
import { nameIsGate } from '../api/rules.js';
import { reachOf } from '../api/scope.js';
import type { Target } from '../api/target.js';
import { checkDefinition } from '../catalogue/check-definition.js';
import { dependencyCycle } from '../catalogue/dependency-cycle.js';
import { rosterProblems } from '../catalogue/scope-problems.js';
import type { TaskCatalog } from '../catalogue/task-catalog.js';
import type { Leadership } from '../leadership/leadership.js';
import { isStillKnown } from '../leadership/still-known.js';
import { dependencyBlocker, type Neighbour } from '../lifecycle/dependencies.js';
import { digest } from '../lifecycle/digest.js';
import type { Blocker, KnownDefinition, Situation } from '../lifecycle/situation.js';
import { stageAt } from '../lifecycle/stages.js';
import { authorityOf, publishingAuthority, settable, steers } from '../lifecycle/steering.js';
import type { TaskReport } from '../lifecycle/task-outcome.js';
import { oldestVersion } from '../lifecycle/versions.js';
import { waiversInForce } from '../lifecycle/waived-uses.js';
import type { Authors } from '../rbac/check-authors.js';
import { rightsOfRosters } from '../rbac/rights-of-step.js';
import type { UseCounts } from '../uses/count-uses.js';
import type { RollCall } from '../uses/roll-call.js';
import type { ObservedUses, UsesQuestion } from './observe-uses.js';
import type { RoundClock } from './round-clock.js';

export interface ViewDeps {
  readonly kube: Kube;
  readonly features: Lister<Feature>;
  readonly definitions: Lister<FeatureDefinition>;
  readonly authors: Authors;
  readonly uses: ObservedUses;
  readonly rounds: RoundClock;
  readonly tasks: TaskCatalog;
  readonly leadership: Pick<Leadership, 'catalogue' | 'knowsAll'>;
  /** Keys of the definitions that this server brings. */
  readonly shipped: ReadonlySet<string>;
  /** Patterns of gates whose values may change while processes run. */
  readonly allowDynamic: readonly string[];
  /** Numbers from 0 up to 1: names of transitions, jitter of retries. */
  readonly random: () => number;
}

const settleMs = 30_000;
/** Processes renew at least this often, so a first report takes no longer. */
const renewMs = 330_000;
const scanEveryMs = 600_000;

/** One Feature and everything around it that a decision depends on, as the caches have it now. */
export class FeatureView {
  readonly #deps: ViewDeps;
  readonly #feature: Feature;
  readonly #definition: FeatureDefinition | undefined;
  readonly #refusal: Blocker | undefined;

  private constructor(
    deps: ViewDeps,
    feature: Feature,
    definition: FeatureDefinition | undefined,
    refusal: Blocker | undefined,
  ) {
    this.#deps = deps;
    this.#feature = feature;
    this.#definition = definition;
    this.#refusal = refusal;
  }

  /** Asks whether the author of the definition may know the processes that it counts. */
  static async of(deps: ViewDeps, feature: Feature, signal: AbortSignal): Promise<FeatureView> {
    const { name = '', namespace } = feature.metadata;
    const found = deps.definitions.get({ name, namespace });
    const definition = found?.spec.gate === feature.spec.gate ? found : undefined;
    const rights = definition ? rightsOfRosters(definition.spec, namespace) : [];
    const refusal = definition && (await deps.authors.blocker(rights, { definition }, signal));
    return new FeatureView(deps, feature, definition, refusal);
  }

  /** What declares the gate. */
  get definition(): FeatureDefinition | undefined {
    return this.#definition;
  }

  /** Whether the spec of the Feature and its definition are unchanged since this view was made. */
  isCurrent(): boolean {
    const { name = '', namespace, generation = 0 } = this.#feature.metadata;
    const definition = this.#deps.definitions.get({ name, namespace });
    const isSame = !!definition && !!this.#definition && revisionOf(definition) === revisionOf(this.#definition);
    return isSame && (this.#deps.features.get({ name, namespace })?.metadata.generation ?? 0) <= generation;
  }

  /** Undefined while the caches are not filled: nothing can be decided then. */
  situation(report: TaskReport | undefined, scan: Dangling | undefined): Situation | undefined {
    const { kube, uses, tasks, random } = this.#deps;
    const { spec, status = {}, metadata } = this.#feature;
    const counts = this.countIn(this.#feature);
    if (!counts) return undefined;
    const definition = this.#definition?.spec;
    const namespace = metadata.namespace ?? '';
    const authority = authorityOf(spec, definition);
    const reported = uses.describe(namespace, spec.gate, authority);
    const version = uses.version(namespace, authority ?? kubernetesAuthority(namespace));
    const known = this.#knownToAll(version);
    const settle = durationMs(spec.uses?.settle, settleMs);
    return {
      nowMs: kube.clock.now(),
      spec,
      generation: metadata.generation,
      status,
      definition: this.#definition && {
        ...knownDefinition(this.#definition, tasks, this.neighbours()),
        refusal: this.#refusal,
      },
      cleanup: cleanupOf(this.#feature, definition),
      settable: settable({
        gate: spec.gate,
        definition,
        config: uses.configOf(namespace, spec.gate),
        isAllowed: isAllowed(spec.gate, this.#deps.allowDynamic),
      }),
      unknown: this.#unknown(),
      dependencies: definition && dependencyBlocker(definition, this.#towards(this.#feature), this.neighbours()),
      effective:
        (known === undefined ? undefined : stageAt(definition?.stages, known)) ??
        (reported && {
          ...(version !== undefined && { version }),
          stage: reported.stage ?? '',
          default: reported.default ?? false,
          locked: reported.locked ?? false,
        }),
      coreVersion: version,
      clusterVersions: uses.versions(namespace, kubernetesAuthority(namespace) ?? authority),
      uses: counts,
      waivers: waiversInForce(spec.waivers, kube.clock.now()),
      patienceMs: settle + renewMs,
      scanEveryMs,
      newId: `${metadata.generation ?? 0}-${fourLetters(random)}`,
      chance: random(),
      isDestructive: (kind) => tasks.isDestructive(kind),
      report,
      scan,
    };
  }

  /** The version to go by: a default that a newer server knows is none while an older one lives. */
  #knownToAll(version: string | undefined): string | undefined {
    if (version === undefined || this.#feature.metadata.namespace !== kubernetesNamespace) return version;
    return oldestVersion([version, this.#deps.leadership.catalogue()]);
  }

  /** What the processes run, in the round that `feature` is in; any report counts while it is settled. */
  countIn(feature: Feature): UseCounts | undefined {
    return this.#deps.uses.count(this.#questionIn(feature));
  }

  /** Who has answered in that round. */
  rollCallsIn(feature: Feature): readonly RollCall[] {
    return this.#deps.uses.rollCalls(this.#questionIn(feature)) ?? [];
  }

  /** The other declared features of the namespace. */
  neighbours(): readonly Neighbour[] {
    const { definitions, features } = this.#deps;
    const { namespace, name } = this.#feature.metadata;
    return definitions
      .list({ ...(namespace !== undefined && { namespace }) })
      .filter((definition) => definition.metadata.name !== name)
      .map(({ metadata, spec }) => ({
        gate: spec.gate,
        state: features.get({ name: metadata.name ?? '', namespace })?.status?.state ?? 'Unknown',
        dependsOn: spec.dependsOn ?? [],
      }));
  }

  /** Whether the processes of the definition are counted where it reaches; the names of others are not for its readers. */
  #mayCount(): boolean {
    if (!this.#definition || this.#refusal) return false;
    const { spec, metadata } = this.#definition;
    const reach = reachOf(spec, metadata.namespace);
    return reach === undefined || rosterProblems(spec.components, reach).length === 0;
  }

  #questionIn(feature: Feature): UsesQuestion {
    const { kube, rounds } = this.#deps;
    const { spec, status = {}, metadata } = feature;
    const epoch = status.transition ? (status.uses?.epoch ?? 0) : 0;
    return {
      namespace: metadata.namespace ?? '',
      gate: spec.gate,
      definition: this.#mayCount() ? this.#definition?.spec : undefined,
      round: {
        epoch,
        openedMs: rounds.openedMs(`${metadata.namespace}/${epoch}`),
        settleMs: durationMs(spec.uses?.settle, settleMs),
      },
      towards: status.state === undefined ? this.#reportedTarget(feature) : this.#towards(feature),
      waivers: waiversInForce(spec.waivers, kube.clock.now()),
      isPublished: steers(spec, status.settable),
      authority: publishingAuthority(spec, this.#definition?.spec),
    };
  }

  /** The value that decides about a Feature without a status, so that its first status is not at once replaced. */
  #reportedTarget({ spec, metadata }: Feature): Target {
    const authority = authorityOf(spec, this.#definition?.spec);
    return this.#deps.uses.describe(metadata.namespace ?? '', spec.gate, authority)?.enabled ? 'On' : 'Off';
  }

  #towards({ status = {} }: Feature): Target {
    if (status.transition) return status.transition.to;
    if (status.state === 'On' || status.state === 'Off') return status.state;
    return status.configured?.value ? 'On' : 'Off';
  }

  #unknown(): Blocker | undefined {
    const { spec, metadata } = this.#feature;
    const namespace = metadata.namespace ?? '';
    if (!nameIsGate.holds(this.#feature)) return { reason: 'NameCollision', message: nameIsGate.message };
    const spellings = new Set([...this.#deps.uses.spellings(namespace, metadata.name ?? ''), spec.gate]);
    if (spellings.size > 1) {
      const message = `${[...spellings].sort().join(' and ')} differ only in letter case`;
      return { reason: 'NameCollision', message };
    }
    const isSeen = this.#deps.uses.spellings(namespace, metadata.name ?? '').length > 0;
    if (isSeen || (this.#definition && isStillKnown(this.#definition, this.#deps))) return undefined;
    return { reason: 'NotSeen', message: `no definition and no process in ${namespace} knows ${spec.gate}` };
  }
}

/** Whose version is that of the cluster, for a gate that says nothing of its components. */
function kubernetesAuthority(namespace: string): string | undefined {
  return namespace === kubernetesNamespace ? 'kube-apiserver' : undefined;
}

/**
 * Returns what tasks that change users' objects may do: as the Feature says, else the definition; else Kubernetes'
 * own features need consent.
 */
export function cleanupOf({ spec, metadata }: Feature, definition: FeatureDefinitionSpec | undefined): Cleanup {
  return spec.cleanup ?? definition?.cleanup ?? (metadata.namespace === kubernetesNamespace ? 'Manual' : 'Automatic');
}

/** Names one version of a definition: one that was edited and edited back is another one. */
export function revisionOf({ metadata: { uid = '', generation = 0 } }: FeatureDefinition): string {
  return `${uid}/${generation}`;
}

function knownDefinition(
  definition: FeatureDefinition,
  tasks: TaskCatalog,
  neighbours: readonly Neighbour[],
): KnownDefinition {
  const { spec, metadata } = definition;
  const circle = dependencyCycle(spec, neighbours);
  const circular = circle === undefined ? [] : [`its dependencies go round in a circle: ${circle}`];
  return {
    spec,
    digest: digest(spec),
    revision: revisionOf(definition),
    problems: [...checkDefinition(spec, tasks, metadata.namespace), ...circular],
  };
}

function fourLetters(random: () => number): string {
  return Array.from({ length: 4 }, () => Math.floor(random() * 36).toString(36)).join('');
}
