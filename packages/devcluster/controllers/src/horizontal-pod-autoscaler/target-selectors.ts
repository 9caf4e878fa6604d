import { type LabelRequirement, matchesLabels, type ObjectRef, parseLabelSelector } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';

interface Known {
  readonly namespace: string;
  readonly requirements: readonly LabelRequirement[];
}

/** Which pods each autoscaler was last seen to scale: several that scale the same pods work against each other. */
export class TargetSelectors {
  readonly #byAutoscaler = new Map<string, Known>();

  /**
   * Remembers the selector of an autoscaler's target.
   * @throws SelectorError
   */
  remember(ref: ObjectRef, selector: string): readonly LabelRequirement[] {
    const requirements = parseLabelSelector(selector);
    this.#byAutoscaler.set(keyOf(ref), { namespace: ref.namespace ?? '', requirements });
    return requirements;
  }

  forget(ref: ObjectRef): void {
    this.#byAutoscaler.delete(keyOf(ref));
  }

  /** `NAMESPACE/NAME` of the autoscalers that scale any of these pods, which are of one namespace, in order. */
  scaling(pods: readonly Pod[], namespace: string): readonly string[] {
    const found = [...this.#byAutoscaler].filter(
      ([, known]) =>
        known.namespace === namespace &&
        pods.some(({ metadata }) => matchesLabels(known.requirements, metadata.labels)),
    );
    return found.map(([key]) => key).sort();
  }
}

function keyOf({ namespace = '', name }: ObjectRef): string {
  return `${namespace}/${name}`;
}
