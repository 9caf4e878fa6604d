import type { KubeObject } from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import type { NodeSize } from '../api/node-size.js';
import type { NodeView } from '../nodes/node-view.js';
import { type Amounts, formatAmounts } from '../planner/amounts.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import type { BalloonWorld } from '../world/balloon-world.js';
import { holdLeftMs } from './hold.js';
import type { NodeMemory } from './node-memory.js';
import type { Observation } from './observation.js';
import { planInput } from './plan-input.js';
import type { ResizeContext } from './resize-context.js';

export interface ObserveDeps {
  readonly world: BalloonWorld;
  /** Returns the name of a policy with as good a claim to the node as the one that manages it. */
  readonly rivalOf: (node: NodeView) => string | undefined;
  /** Returns the size that the autosizer recommends for a node. */
  readonly recommendedFor: (node: string) => Amounts | undefined;
  /** The actuators of the configuration, by the name that a policy's `actuatorRef` gives. */
  readonly actuators: ReadonlyMap<string, Actuator>;
}

/** The objects of one node as caches have them, and what is remembered of it. */
export interface NodeState {
  readonly size: NodeSize;
  readonly node: NodeView;
  readonly policy: PolicySettings;
  readonly pod: KubeObject | undefined;
  readonly memory: NodeMemory;
  /** Monotonic. */
  readonly nowMs: number;
}

/** Returns the state by which is decided what to do about a node. */
export function observe(
  { world, actuators, rivalOf, recommendedFor }: ObserveDeps,
  { size, node, policy, pod, memory, nowMs }: NodeState,
): Observation {
  const { name } = node;
  const { actuator } = policy;
  return {
    size,
    node,
    policy,
    pod: pod && readBalloonPod(pod),
    requested: world.requestedBeside(name, pod?.metadata.uid),
    awaited: world.requested.isAwaited(name),
    heldMs: holdLeftMs(memory.hold, attemptOf(size, node), nowMs),
    rival: rivalOf(node),
    recommended: recommendedFor(name),
    memoryStuck: pod !== undefined && memory.stuckPodUID === pod.metadata.uid,
    quietMs: nowMs - (memory.reportedAtMs ?? nowMs),
    actuator: actuator === undefined ? 'none' : actuators.has(actuator) ? 'known' : 'missing',
  };
}

/** Another spec or other hardware is another attempt, which is not held back by failures of the one before. */
export function attemptOf({ metadata }: NodeSize, { allocatable }: NodeView): string {
  const { cpu, memory } = formatAmounts(allocatable);
  return `${metadata.generation} ${cpu} ${memory}`;
}

/** Returns the state that a resize of the node works on. */
export function resizeContext(
  observation: Observation,
  pod: KubeObject | undefined,
  { actuators }: Pick<ObserveDeps, 'actuators'>,
): ResizeContext {
  const { node, policy, awaited, size } = observation;
  const input = observation.pod && planInput(observation, observation.pod);
  return {
    node,
    nodeName: node.name,
    pod,
    generation: size.metadata.generation ?? 0,
    policy,
    actuator: actuators.get(policy.actuator ?? ''),
    input: typeof input === 'string' ? undefined : input,
    awaited,
  };
}
