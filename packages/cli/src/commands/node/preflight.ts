import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { exit } from '../../runtime/exit.js';
import { type Finding, renderFindings } from './findings.js';
import { balloonNamespace, observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly format: Format;
}

const core = (kind: string, plural: string): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});
const ResourceQuota = core('ResourceQuota', 'resourcequotas');
const LimitRange = core('LimitRange', 'limitranges');

/** The first release that resizes pods in place unless told otherwise (KEP-1287). */
const firstMinor = 33;

/** `slipway node preflight`. */
export function preflight({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('preflight', 'Say whether the nodes of a cluster can be resized, and what stands in the way', [
      'slipway node preflight',
      'slipway node preflight -o json',
    ]),
  )
    .addOption(outcomeOption())
    .action(async ({ format, ...cluster }: Options) => {
      const findings = await look(await connect(cluster), signal);
      terminal.out(renderOutcome(format, renderFindings(findings), { findings }));
      const wrong = findings.find((finding) => finding.answer === 'no');
      if (!wrong) return;
      answer(exit.no);
      terminal.err(`To fix: ${wrong.message}\n`);
    });
}

async function look(kube: Kube, signal: AbortSignal): Promise<readonly Finding[]> {
  const inBalloons = { namespace: balloonNamespace, signal };
  const [discovery, nodes, quotas, ranges] = await Promise.all([
    kube.discover(signal),
    observeNodes(kube, {}, signal),
    kube.resource(ResourceQuota).list(inBalloons),
    kube.resource(LimitRange).list(inBalloons),
  ]);
  const canResize = discovery.find('pods')?.subresources.includes('resize') === true;
  return [
    cluster(
      'pods can be resized in place',
      canResize ? [] : ['take an API server of 1.33 or later: it has no pods/resize'],
    ),
    cluster('no quota counts balloons', quotas.items.filter(countsRequests).map(named('counts what balloons hide'))),
    cluster('no limit range changes balloons', ranges.items.map(named('may refuse balloons, or give them limits'))),
    ...nodes.map(({ node }) => kubelet(node.name, node.kubeletVersion)),
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

function kubelet(node: string, version: string): Finding {
  const minor = /^v1\.(\d+)/.exec(version)?.[1];
  const check = `its kubelet resizes pods in place (1.${firstMinor} and later)`;
  if (minor === undefined) return { about: node, check, answer: 'unknown', message: `it says it is "${version}"` };
  if (Number(minor) >= firstMinor) return { about: node, check, answer: 'yes', message: version };
  return { about: node, check, answer: 'no', message: `upgrade the kubelet of ${node}: it is ${version}` };
}
