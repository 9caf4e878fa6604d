import { timestamp } from '@slipway/kube';
import type { Pod, PodCondition } from '@slipway/kube-objects/kinds/api/pods';

/** How far the resize of one pod is. Neither means that it has what it asks for. */
export interface ResizeState {
  /** What it asks for was not granted, not yet or not ever. */
  readonly pending?: ResizeStep & { readonly reason: 'Deferred' | 'Infeasible'; readonly message: string };
  /** It was granted, and its containers do not run with it yet. */
  readonly progress?: ResizeStep & { readonly error?: string; readonly dueMs: number };
}

interface ResizeStep {
  /** The generation of the pod that was looked at. */
  readonly generation: number;
  /** Since when, in milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** The types of the conditions that tell of a resize; they are there only while they are true. */
export const resizeConditionTypes = ['PodResizePending', 'PodResizeInProgress'] as const;

/** The conditions of a pod that is being resized. */
export function resizeConditions({ pending, progress }: ResizeState): readonly PodCondition[] {
  const condition = (
    type: string,
    { generation, sinceMs }: ResizeStep,
    why: Pick<PodCondition, 'reason' | 'message'>,
  ) => ({
    type,
    observedGeneration: generation,
    status: 'True' as const,
    lastProbeTime: null,
    lastTransitionTime: timestamp(sinceMs),
    ...why,
  });
  const { error } = progress ?? {};
  return [
    ...(pending ? [condition('PodResizePending', pending, { reason: pending.reason, message: pending.message })] : []),
    ...(progress
      ? [condition('PodResizeInProgress', progress, error === undefined ? {} : { reason: 'Error', message: error })]
      : []),
  ];
}

/** Returns the message about a resize, as kubelets since 1.35 write it: the resources of all containers as JSON. */
export function resizeMessage(what: string, { metadata, spec }: Pod, error?: string): string {
  const listed = (containers: Pod['spec']['containers']) =>
    containers.map(({ name, resources: { limits, requests } = {} }) => {
      return { name, resources: { limits: inOrder(limits), requests: inOrder(requests) } };
    });
  const init = spec.initContainers ?? [];
  const resources = {
    ...(init.length > 0 && { initContainers: listed(init) }),
    containers: listed(spec.containers),
    generation: metadata.generation ?? 0,
    ...(error !== undefined && { error }),
  };
  return `Pod resize ${what}: ${JSON.stringify(resources)}`;
}

/** By name, as Go writes maps. */
function inOrder(list: ResourceList | undefined): ResourceList | undefined {
  return list && Object.fromEntries(Object.entries(list).sort(([one], [other]) => (one < other ? -1 : 1)));
}

type ResourceList = Readonly<Record<string, string>>;
