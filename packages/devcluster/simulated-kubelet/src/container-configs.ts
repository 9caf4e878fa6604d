import type { Kube, ObjectPart } from '@slipway/kube';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import { mountProblem } from './exec/expanded-mounts.js';
import { missingVariable, needsObjects } from './exec/missing-variables.js';
import { fetchNamed, namesInVariables } from './exec/named-objects.js';
import { programView } from './exec/program-view.js';
import { hasStarted } from './images/waiting-timeline.js';
import type { Resident } from './pods/residents.js';
import type { SimulatedNodes } from './simulated-nodes.js';
import { containerRun } from './status/container-status.js';
import { containerPart } from './timeline/container-part.js';
import { whyHeldBack, withHeldBack } from './timeline/held-back.js';
import type { ContainerTimes } from './timeline/pod-timeline.js';

/** How often it is looked whether a container can be made that could not. */
const retryMs = 10_000;

export interface ContainerConfigsOptions {
  readonly kube: Kube;
  readonly nodes: Pick<SimulatedNodes, 'placeOf'>;
  readonly tell: (about: ObjectPart, type: 'Warning', reason: string, message: string) => void;
}

/** The timeline of a pod, and when to check its containers again; undefined where all can be made. */
export interface CheckedConfigs {
  readonly timeline: readonly ContainerTimes[];
  readonly againInMs?: number;
}

/** Holds back the containers of one node whose mounts are wrong, or whose variables need what does not exist. */
export class ContainerConfigs {
  readonly #options: ContainerConfigsOptions;

  constructor(options: ContainerConfigsOptions) {
    this.#options = options;
  }

  /** Whether a pod has containers that have yet to be made and that may have to wait. */
  concern(pod: Pod): boolean {
    return containersToCheck(pod).length > 0;
  }

  /** Checks the containers that have not started. */
  async check({ pod, timeline, admittedAtMs }: Resident): Promise<CheckedConfigs> {
    const { kube } = this.#options;
    const problems = new Map<string, string>();
    for (const container of containersToCheck(pod)) {
      const problem = await this.#problemOf(pod, container);
      if (problem !== undefined) problems.set(container.name, problem);
    }
    const elapsedMs = kube.clock.now() - admittedAtMs;
    return {
      timeline: withHeldBack(timeline, problems, elapsedMs),
      ...(problems.size > 0 && { againInMs: retryMs }),
    };
  }

  /** Reports in events of a pod what keeps containers from being made whose turn has come. */
  tell({ pod, timeline }: Resident, elapsedMs: number): void {
    for (const times of timeline) {
      const problem = whyHeldBack(times, elapsedMs);
      if (problem === undefined) continue;
      this.#options.tell(containerPart(pod, times.container.name), 'Warning', 'Failed', `Error: ${problem}`);
    }
  }

  async #problemOf(pod: Pod, container: Container): Promise<string | undefined> {
    const { kube } = this.#options;
    const { namespace = '' } = pod.metadata;
    const fields = container as unknown as ContainerFields;
    if (needsObjects(fields)) {
      const lookUp = await fetchNamed(kube, namespace, namesInVariables(pod, fields));
      const problem = missingVariable(fields, namespace, lookUp);
      if (problem !== undefined) return problem;
    }
    return hasExpandedPath(fields) ? mountProblem(await this.#viewOf(pod, container)) : undefined;
  }

  async #viewOf(pod: Pod, container: Container) {
    const { kube, nodes } = this.#options;
    const fields = container as unknown as ContainerFields;
    return (await programView(kube, pod, fields, containerRun(pod, container.name, 0), nodes.placeOf(pod))).view;
  }
}

function containersToCheck(pod: Pod): readonly Container[] {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return all.filter((container) => {
    const fields = container as unknown as ContainerFields;
    return (needsObjects(fields) || hasExpandedPath(fields)) && !hasStarted(pod, container.name);
  });
}

/** The API server refuses wrong paths that are written out; those with variables are checked here. */
function hasExpandedPath({ volumeMounts }: ContainerFields): boolean {
  return (volumeMounts ?? []).some(({ subPathExpr }) => subPathExpr);
}
