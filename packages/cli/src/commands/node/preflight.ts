import { balloonNamespace, Node } from '@slipway/balloons';
import type { Kube, ResourceRef } from '@slipway/kube';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { exit } from '../../runtime/exit.js';
import { renderFindings } from './findings.js';
import { type Preflight, preflightFindings } from './preflight-checks.js';

interface Options extends ClusterOptions {
  readonly format: Format;
}

const core = (kind: string, plural: string): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: kind !== 'Namespace',
});
const ResourceQuota = core('ResourceQuota', 'resourcequotas');
const LimitRange = core('LimitRange', 'limitranges');
const Namespace = core('Namespace', 'namespaces');

/** `slipway node preflight`. */
export function preflight({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('preflight', 'Check whether the nodes of a cluster can be resized, and list obstacles', [
      'slipway node preflight',
      'slipway node preflight -o json',
    ]),
  )
    .addOption(outcomeOption())
    .action(async ({ format, ...cluster }: Options) => {
      const findings = preflightFindings(await look(await connect(cluster), signal));
      terminal.out(renderOutcome(format, renderFindings(findings), { findings }));
      const wrong = findings.find((finding) => finding.answer === 'no');
      if (!wrong) return;
      answer(exit.no);
      terminal.err(`To fix: ${wrong.message}\n`);
    });
}

async function look(kube: Kube, signal: AbortSignal): Promise<Preflight> {
  const inBalloons = { namespace: balloonNamespace, signal };
  const discovery = await kube.discover(signal);
  const autoscalers = discovery.find('verticalpodautoscalers');
  const [quotas, limitRanges, namespace, vertical, nodes] = await Promise.all([
    kube.resource(ResourceQuota).list(inBalloons),
    kube.resource(LimitRange).list(inBalloons),
    kube.resource(Namespace).find({ name: balloonNamespace }, signal),
    autoscalers ? kube.resource(autoscalers).list({ signal }) : { items: [] },
    kube.resource(Node).list({ signal }),
  ]);
  return {
    canResize: discovery.find('pods')?.subresources.includes('resize') === true,
    quotas: quotas.items,
    limitRanges: limitRanges.items,
    namespace,
    verticalAutoscalers: vertical.items,
    nodes: nodes.items,
  };
}
