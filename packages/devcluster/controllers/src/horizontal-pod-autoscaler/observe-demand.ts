import {
  type InformerFactory,
  type Kube,
  matchesLabels,
  type ObjectRef,
  parseQuantity,
  SelectorError,
} from '@slipway/kube';
import { type HorizontalPodAutoscaler, podMetrics } from '@slipway/kube-objects/kinds/api/autoscalers';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { type Demand, desiredReplicas } from './desired-replicas.js';
import { fetchMetrics } from './fetch-metrics.js';
import type { Tolerance } from './propose-replicas.js';
import type { Scale } from './scale-client.js';
import { TargetSelectors } from './target-selectors.js';

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
  const selectors = new TargetSelectors();

  async function demandOf(
    { metadata, spec }: HorizontalPodAutoscaler,
    scale: Scale,
    at: { readonly nowMs: number; readonly signal: AbortSignal },
  ): Promise<Demand> {
    const { namespace = '', name = '' } = metadata;
    const { nowMs, signal } = at;
    const selector = scale.status?.selector ?? '';
    if (selector === '') return noSelector;
    try {
      const requirements = selectors.remember({ namespace, name }, selector);
      const own = podInformer.lister
        .list({ namespace })
        .filter((pod) => matchesLabels(requirements, pod.metadata.labels));
      const scaling = selectors.scaling(own, namespace);
      if (scaling.length > 1) {
        const message = `pods by selector ${selector} are controlled by multiple HPAs: [${scaling.join(' ')}]`;
        return unusable('AmbiguousSelector', message);
      }
      const [{ items: metrics }, fetched] = await Promise.all([
        client.list({ namespace, labelSelector: selector, signal }),
        fetchMetrics(deps.kube, spec.metrics, { namespace, selector, signal }),
      ]);
      return desiredReplicas(spec.metrics, {
        current: scale.spec.replicas ?? 0,
        pods: own,
        statusReplicas: scale.status?.replicas ?? 0,
        metrics,
        fetched,
        tolerance: toleranceOf(deps.heedsTolerance() ? spec.behavior : undefined),
        nowMs,
      });
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      const message = `couldn't convert selector into a corresponding internal selector object: ${error.message}`;
      return unusable('InvalidSelector', message);
    }
  }

  return { demandOf, forget: (autoscaler: ObjectRef) => selectors.forget(autoscaler) };
}

/** A target whose pods cannot be told calls for nothing. */
function unusable(reason: string, message: string): Demand {
  const active = { status: 'False', reason, message } as const;
  return { name: '', statuses: [], failures: [], active, refusal: { reason, message } };
}

const noSelector: Demand = {
  ...unusable('InvalidSelector', "the HPA target's scale is missing a selector"),
  refusal: { reason: 'SelectorRequired', message: 'selector is required' },
};

function toleranceOf(behavior: HorizontalPodAutoscaler['spec']['behavior']): Tolerance {
  const share = (text: string | undefined) =>
    text === undefined ? defaultTolerance : Number(parseQuantity(text).nano) / 1e9;
  return { up: share(behavior?.scaleUp?.tolerance), down: share(behavior?.scaleDown?.tolerance) };
}
