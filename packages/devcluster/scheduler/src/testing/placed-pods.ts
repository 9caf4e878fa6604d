import type { Kube } from '@slipway/kube';
import type { ManualClock } from '@slipway/kube/testing';
import { podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { until } from '@slipway/kube-objects/testing/until';

export const at = (name: string) => ({ namespace: 'default', name });

/** The node that a pod gets; with a clock, time passes meanwhile. */
export const nodeOf = (kube: Kube, name: string, clock?: ManualClock) =>
  until(`a node for ${name}`, async () => {
    await clock?.advance(500);
    return (await kube.resource(pods).get(at(name))).spec.nodeName;
  });

/** The condition of a pod that was not placed, once it says this; with a clock, time passes meanwhile. */
export const says = (kube: Kube, name: string, words: string, clock?: ManualClock) =>
  until(`${name} says ${words}`, async () => {
    await clock?.advance(500);
    const condition = podCondition(await kube.resource(pods).get(at(name)), 'PodScheduled');
    return condition?.message?.includes(words) ? condition : undefined;
  });
