import { balloonNamespace } from '@slipway/balloons';
import type { KubeObject } from '@slipway/kube';
import type { Finding } from './findings.js';

/** What a cluster has that balloons could come into conflict with. */
export interface Preflight {
  /** Whether the API server has `pods/resize`. */
  readonly canResize: boolean;
  /** Of the namespace of balloons. */
  readonly quotas: readonly KubeObject[];
  readonly limitRanges: readonly KubeObject[];
  readonly namespace: KubeObject | undefined;
  /** VerticalPodAutoscalers of the whole cluster; none where there is no such kind. */
  readonly verticalAutoscalers: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
}

/** The first release that resizes pods in place unless told otherwise (KEP-1287). */
const firstMinor = 33;

/** Whether nodes can be resized, and what stands in the way, each with what to do about it. */
export function preflightFindings(seen: Preflight): readonly Finding[] {
  const { canResize, quotas, limitRanges, namespace, verticalAutoscalers, nodes } = seen;
  const noResize = canResize ? [] : ['take an API server of 1.33 or later: it has no pods/resize'];
  return [
    cluster('pods can be resized in place', noResize),
    cluster('no quota counts balloons', quotas.filter(countsRequests).map(named('counts what balloons hide'))),
    cluster('no limit range changes balloons', limitRanges.map(named('may refuse balloons, or give them limits'))),
    cluster('pods may share the network of their node', forbidsHostNetwork(namespace)),
    cluster('no other controller resizes balloons', verticalAutoscalers.filter(targetsBalloons).map(steersBalloons)),
    ...nodes.flatMap((node) => [kubeletOf(node), swapOf(node)]),
  ];
}

function cluster(check: string, problems: readonly string[]): Finding {
  return { about: 'cluster', check, answer: problems.length === 0 ? 'yes' : 'no', message: problems.join('; ') };
}

const named = (what: string) => (object: KubeObject) =>
  `${object.kind} ${balloonNamespace}/${object.metadata.name} ${what}; change it, or keep room in it`;

function countsRequests({ spec }: KubeObject): boolean {
  const hard: Readonly<Record<string, unknown>> = spec?.hard ?? {};
  return ['cpu', 'memory', 'requests.cpu', 'requests.memory'].some((key) => key in hard);
}

/** Pod Security lets no pod of the levels above `privileged` do that. */
function forbidsHostNetwork(namespace: KubeObject | undefined): readonly string[] {
  const level = namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'] ?? 'privileged';
  if (level === 'privileged') return [];
  return [
    `namespace ${balloonNamespace} enforces Pod Security ${level}; set spec.pod.hostNetwork of policies to false`,
  ];
}

function targetsBalloons({ spec }: KubeObject): boolean {
  const { kind = '', name = '' } = spec?.targetRef ?? {};
  return kind === 'DaemonSet' && String(name).startsWith('slipway-balloon-');
}

function steersBalloons({ metadata: { namespace, name } }: KubeObject): string {
  return `delete VerticalPodAutoscaler ${namespace}/${name}: it is for a DaemonSet of balloons`;
}

function kubeletOf({ metadata: { name: node = '' }, status }: KubeObject): Finding {
  const version: string = status?.nodeInfo?.kubeletVersion ?? '';
  const minor = /^v1\.(\d+)/.exec(version)?.[1];
  const check = `its kubelet resizes pods in place (1.${firstMinor} and later)`;
  if (minor === undefined) return { about: node, check, answer: 'unknown', message: `it says it is "${version}"` };
  if (Number(minor) >= firstMinor) return { about: node, check, answer: 'yes', message: version };
  return { about: node, check, answer: 'no', message: `upgrade the kubelet of ${node}: it is ${version}` };
}

/** Kubelets refuse to resize the memory of containers that may swap. Nodes say from 1.33 on whether they have swap. */
function swapOf({ metadata: { name: node = '' }, status }: KubeObject): Finding {
  const check = 'it does not swap';
  const capacity = Number(status?.nodeInfo?.swap?.capacity ?? 0);
  if (capacity === 0) return { about: node, check, answer: 'yes', message: '' };
  const message = `${node} swaps, so memory of balloons may stay as it is; set spec.pod.memoryLimit of its policy to MatchRequest`;
  return { about: node, check, answer: 'no', message };
}
