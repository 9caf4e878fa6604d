import { parseQuantity } from '@slipway/kube';
import type { PodSpecFields } from '../kinds/pod-spec.js';

const counted = ['cpu', 'memory'] as const;

/**
 * Quality of service of a pod: `Guaranteed` when every container limits cpu and
 * memory and requests as much, `BestEffort` when none asks for any of it.
 */
export function qosClass(spec: PodSpecFields): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const { resources: whole } = spec;
  const isWhole = Object.keys({ ...whole?.requests, ...whole?.limits }).length > 0;
  const demands = isWhole && whole ? [whole] : containersOf(spec).map(({ resources }) => resources ?? {});
  const isSet = (amount: string | undefined) => amount !== undefined && parseQuantity(amount).nano !== 0n;
  const asks = demands.some(({ requests, limits }) =>
    counted.some((name) => isSet(requests?.[name]) || isSet(limits?.[name])),
  );
  if (!asks) return 'BestEffort';
  const isFixed = ({ requests, limits }: (typeof demands)[number]) =>
    counted.every((name) => {
      const [request, limit] = [requests?.[name] ?? limits?.[name], limits?.[name]];
      return isSet(limit) && parseQuantity(request ?? '0').nano === parseQuantity(limit ?? '0').nano;
    });
  return demands.every(isFixed) ? 'Guaranteed' : 'Burstable';
}

function containersOf(spec: PodSpecFields) {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}
