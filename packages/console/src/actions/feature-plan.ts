import {
  approveTransition,
  type ChangePreview,
  type ConsentedObjects,
  type Dangling,
  Feature,
  mergeSpec,
  type PlannedTask,
  previewApproval,
  previewChange,
  requestChange,
  type Target,
} from '@slipway/features';
import { type PlanLine, planLines } from '@slipway/features/views';
import type { Kube, ObjectRef } from '@slipway/kube';

/** On and off turn a feature; approving agrees to what is left of a transition that waits. */
export type Deed = Target | 'Approve';

/** The plan of a deed, as a person reads it before agreeing to it. */
export interface PlanDocument {
  readonly gate: string;
  readonly deed: Deed;
  readonly change: ChangePreview['change'];
  readonly lines: readonly PlanLine[];
  /** Objects that use the feature now, where it is turned off. */
  readonly inUse?: Pick<Dangling, 'count' | 'complete' | 'samples'>;
  /** How many workloads would replace their pods. */
  readonly rollouts: number;
  /** Processes that have to be restarted, or set by their own flags, because they do not take the value from the API. */
  readonly restarts: readonly string[];
  readonly needsConsent: boolean;
  /** Whether a definition declares the gate: without one it cannot be turned. */
  readonly isDeclared: boolean;
  /** The number of objects that a person types to agree. */
  readonly agreeTo: number;
  /** What was shown: the deed is done only while this is still so. */
  readonly shown: string;
}

interface Planned {
  readonly document: PlanDocument;
  readonly carryOut: (signal: AbortSignal) => Promise<Feature>;
}

/** Reads what a deed would do. Writes nothing. */
export async function planDeed(kube: Kube, ref: ObjectRef, deed: Deed, signal: AbortSignal): Promise<Planned> {
  const feature = await kube.resource(Feature).get(ref, signal);
  return deed === 'Approve' ? await approval(kube, feature, signal) : await turning(kube, feature, deed, signal);
}

async function turning(kube: Kube, feature: Feature, to: Target, signal: AbortSignal): Promise<Planned> {
  const preview = await previewChange(kube, feature, to, signal);
  const { change, tasks, objects, inUse, rollouts, needsConsent, definition, mode } = preview;
  const components = feature.status?.uses?.components ?? [];
  const document = {
    gate: feature.spec.gate,
    deed: to,
    change,
    lines: planLines(tasks, objects),
    ...(inUse && { inUse }),
    rollouts,
    restarts: mode === 'Dynamic' ? [] : components.filter(({ required }) => required).map(({ name }) => name),
    needsConsent,
    isDeclared: definition !== undefined,
    agreeTo: inUse?.count ?? 0,
  };
  return {
    document: { ...document, shown: shownOf(tasks, preview.plan, objects) },
    carryOut: (aborted) => requestChange(kube, preview, { consent: needsConsent, signal: aborted }),
  };
}

async function approval(kube: Kube, feature: Feature, signal: AbortSignal): Promise<Planned> {
  const preview = await previewApproval(kube, feature, signal);
  const { work, objects } = preview;
  return {
    document: {
      gate: feature.spec.gate,
      deed: 'Approve',
      change: 'begin',
      lines: planLines(work.tasks, objects),
      rollouts: 0,
      restarts: [],
      needsConsent: true,
      isDeclared: true,
      agreeTo: objects.reduce((sum, { count }) => sum + count, 0),
      shown: shownOf(work.tasks, preview.plan, objects),
    },
    carryOut: (aborted) => approveTransition(kube, preview, { signal: aborted }),
  };
}

/** Consent is to the plan and its objects, so that both are compared. */
function shownOf(tasks: readonly PlannedTask[], plan: string, objects: readonly ConsentedObjects[]): string {
  return JSON.stringify([plan, tasks.map(({ name }) => name), objects.map(({ task, count }) => [task, count])]);
}

/** Holds a transition, or lets it go on. */
export async function pauseFeature(
  kube: Kube,
  ref: ObjectRef,
  isPaused: boolean,
  signal: AbortSignal,
): Promise<Feature> {
  return await mergeSpec(kube, ref, { spec: { paused: isPaused || null } }, signal);
}
