import type { FeatureGate } from '@slipway/feature-gates';
import {
  type Condition,
  Controller,
  errorMessage,
  type ObjectRef,
  type Reconciler,
  retryLostRaces,
  setCondition,
  timestamp,
} from '@slipway/kube';
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from '@slipway/kube-objects/kinds/api/autoscalers';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { toleranceGate } from '@slipway/kube-objects/rules/gate-names';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { type Finding, type Memory, remember } from './limit-pace.js';
import { demandObserver } from './observe-demand.js';
import { heedsMetrics, planAutoscaler } from './plan-autoscaler.js';
import { readScale } from './scale-client.js';

export interface AutoscalerDeps extends WorkloadDeps {
  readonly gate: Pick<FeatureGate, 'enabled'>;
}

/** How often each autoscaler is looked at, as in Kubernetes. */
const periodMs = 15_000;

/** Scales what HorizontalPodAutoscalers name, by what metrics.k8s.io says its pods use. */
export function horizontalPodAutoscalerController(deps: AutoscalerDeps): Controller {
  return new Controller({
    ...deps,
    name: 'horizontal-pod-autoscaler',
    for: horizontalPodAutoscalers,
    // Nothing follows from a pod; but pods must be in the cache before they are counted.
    watches: [{ of: pods, map: () => [] }],
    workers: 5,
    reconcile: retryLostRaces(autoscalerReconciler(deps)),
  });
}

/** Observes one autoscaler and its target, scales the target, records why. */
function autoscalerReconciler({ kube, informers, gate }: Omit<AutoscalerDeps, 'log'>): Reconciler {
  const all = new RecordedClient({ kube, informers }, horizontalPodAutoscalers);
  const observer = demandObserver({ kube, informers, heedsTolerance: () => gate.enabled(toleranceGate) });
  const memories = new Map<string, Memory>();

  return async (ref, { signal, now, events }) => {
    const autoscaler = all.get(ref);
    if (!autoscaler) {
      memories.delete(keyOf(ref));
      observer.forget(ref);
      return undefined;
    }
    const nowMs = now();
    const again = { requeueAfterMs: periodMs, restMs: periodMs };
    const warn = (reason: string, message: string) => events.event(autoscaler, 'Warning', reason, message);
    const conditions = conditionsOf(autoscaler, nowMs);
    const record = async (status: HorizontalPodAutoscaler['status']) => {
      const next = { ...autoscaler.status, ...status, conditions: conditions.all() };
      await all.replaceStatus(autoscaler, next, signal);
      return again;
    };
    /** What a step of scaling did not do, and why; ends the look. */
    const failed = (error: unknown, reason: string, doing: string) => {
      if (signal.aborted) throw error;
      const message = `the HPA controller was unable to ${doing}: ${errorMessage(error)}`;
      conditions.set('AbleToScale', { status: 'False', reason, message });
    };

    let target: Awaited<ReturnType<typeof readScale>>;
    try {
      target = await readScale(kube, autoscaler.spec.scaleTargetRef ?? {}, ref.namespace ?? '', signal);
    } catch (error) {
      failed(error, 'FailedGetScale', "get the target's current scale");
      warn('FailedGetScale', errorMessage(error));
      return record({});
    }
    const got = "the HPA controller was able to get the target's current scale";
    conditions.set('AbleToScale', { status: 'True', reason: 'SucceededGetScale', message: got });
    const { scale } = target;
    const current = scale.spec.replicas ?? 0;
    // The first look remembers what there was, so that a new controller does not shrink at once.
    const memory = memories.get(keyOf(ref)) ?? { recommendations: [{ replicas: current, atMs: nowMs }], events: [] };
    const heeds = heedsMetrics(autoscaler.spec, current);
    const demand = heeds ? await observer.demandOf(autoscaler, scale, { nowMs, signal }) : undefined;
    const plan = planAutoscaler(autoscaler, current, demand, memory, nowMs);
    memories.set(keyOf(ref), plan.memory);
    for (const [type, finding] of plan.findings) conditions.set(type, finding);
    for (const { reason, message } of plan.warnings) warn(reason, message);
    const seen = { currentReplicas: scale.status?.replicas ?? 0, currentMetrics: plan.metrics };
    const { replicas, reason } = plan;
    if (replicas === undefined) return record({ desiredReplicas: autoscaler.status?.desiredReplicas ?? 0, ...seen });
    if (replicas === current) return record({ desiredReplicas: replicas, ...seen });

    try {
      await target.setReplicas(replicas, signal);
    } catch (error) {
      failed(error, 'FailedUpdateScale', 'update the target scale');
      warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${errorMessage(error)}`);
      return record({ desiredReplicas: current, ...seen });
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    conditions.set('AbleToScale', { status: 'True', reason: 'SucceededRescale', message });
    events.event(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
    memories.set(keyOf(ref), remember(plan.memory, { change: replicas - current }, nowMs));
    return record({ desiredReplicas: replicas, ...seen, lastScaleTime: timestamp(nowMs) });
  };
}

/** The conditions of an autoscaler, to be changed one after the other. */
function conditionsOf({ status }: HorizontalPodAutoscaler, nowMs: number) {
  let conditions: readonly Condition[] = status?.conditions ?? [];
  return {
    all: () => conditions,
    set(type: string, finding: Finding) {
      conditions = setCondition(conditions, { type, ...finding }, nowMs);
    },
  };
}

function keyOf({ namespace = '', name }: ObjectRef): string {
  return `${namespace}/${name}`;
}
