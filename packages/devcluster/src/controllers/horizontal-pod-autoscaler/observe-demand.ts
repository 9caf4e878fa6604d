import {
  type InformerFactory,
  type Kube,
  matchesLabels,
  parseLabelSelector,
  parseQuantity,
  SelectorError,
} from '@slipway/kube';
import { type HorizontalPodAutoscaler, podMetrics } from '../api/autoscalers.js';
import { pods } from '../api/pods.js';
import { type Demand, desiredReplicas } from './desired-replicas.js';
import type { Tolerance } from './propose-replicas.js';
import type { Scale } from './scale-client.js';

const defaultTolerance = 0.1;

/** Reads what the pods of a target use, and what that calls for. */
export function demandObserver(deps: {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  /** Whether autoscalers may say how far from its target a metric may be. */
  readonly heedsTolerance: () => boolean;
}) {
  const podInformer = deps.informers.informer(pods);
  const client = deps.kube.resource(podMetrics);

  return async (
    { metadata, spec }: HorizontalPodAutoscaler,
    scale: Scale,
    at: { readonly nowMs: number; readonly signal: AbortSignal },
  ): Promise<Demand> => {
    const { namespace = '' } = metadata;
    const { nowMs, signal } = at;
    const selector = scale.status?.selector ?? '';
    if (selector === '') return unusable("the HPA target's scale is missing a selector");
    try {
      const requirements = parseLabelSelector(selector);
      const isOwn = (pod: { readonly metadata: HorizontalPodAutoscaler['metadata'] }) =>
        matchesLabels(requirements, pod.metadata.labels);
      const { items: metrics } = await client.list({ namespace, labelSelector: selector, signal });
      return desiredReplicas(spec.metrics, {
        current: scale.spec.replicas ?? 0,
        pods: podInformer.lister.list({ namespace }).filter(isOwn),
        metrics,
        tolerance: toleranceOf(deps.heedsTolerance() ? spec.behavior : undefined),
        nowMs,
      });
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      return unusable(`couldn't convert selector into a corresponding internal selector object: ${error.message}`);
    }
  };
}

/** A target whose pods cannot be told calls for nothing. */
function unusable(message: string): Demand {
  const active = { status: 'False', reason: 'InvalidSelector', message } as const;
  return { name: '', statuses: [], failures: [], active };
}

function toleranceOf(behavior: HorizontalPodAutoscaler['spec']['behavior']): Tolerance {
  const share = (text: string | undefined) =>
    text === undefined ? defaultTolerance : Number(parseQuantity(text).nano) / 1e9;
  return { up: share(behavior?.scaleUp?.tolerance), down: share(behavior?.scaleDown?.tolerance) };
}
