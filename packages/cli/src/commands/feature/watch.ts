import { Feature } from '@slipway/features';
import { InformerFactory, silentLog } from '@slipway/kube';
import type { Command } from 'commander';
import { jsonContent } from '../../output/content.js';
import { type Format, formatOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { requireFeature, served } from './find-feature.js';
import { reportLiveness, watchLiveness } from './report-liveness.js';

interface Options extends ClusterOptions {
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway feature watch [GATE]`. */
export function watch({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('watch', 'Print a line each time a feature changes, until Ctrl-C', [
      'slipway feature watch',
      'slipway feature watch MaxUnavailableStatefulSet -o json',
    ]),
  )
    .argument('[gate]', 'only this feature')
    .option('-n, --namespace <name>', 'only the features of this namespace')
    .addOption(formatOption('table', 'json'))
    .action(async (gate: string | undefined, { namespace, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const one = gate === undefined ? undefined : await requireFeature(kube, gate, namespace, { terminal, signal });
      await served(() => kube.resource(Feature).list({ namespace, limit: 1, signal }));
      if (!one) await reportLiveness(kube, [], { terminal, signal });
      const informers = new InformerFactory(kube, { log: silentLog });
      const informer = informers.informer(Feature, {
        namespace: one?.metadata.namespace ?? namespace,
        ...(one && { fieldSelector: `metadata.name=${one.metadata.name}` }),
      });
      const told = new Map<string, string>();
      informer.onChange(({ type, object }) => {
        const line = format === 'json' ? JSON.stringify({ type, object }) : summary(type, object);
        if (told.get(object.metadata.uid ?? '') === line) return;
        told.set(object.metadata.uid ?? '', line);
        if (format === 'json') terminal.out(jsonContent({ type, object }, 0));
        else terminal.out(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
      });
      informers.start();
      void watchLiveness(kube, () => informer.lister.list(), { terminal, signal });
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await informers.stop();
    });
}

function summary(type: string, { spec, status }: Feature): string {
  if (type === 'deleted') return `${spec.gate}  deleted`;
  const { state = 'Unknown', uses = '', dangling = '', next = '', blocked = '' } = status?.summary ?? {};
  const parts = [
    spec.gate,
    state,
    uses,
    dangling === '' || dangling === '-' || dangling === 'n/a' ? '' : `${dangling} dangling`,
    next,
  ];
  const reason = status?.transition?.tasks[0]?.message ?? blocked;
  return [...parts, reason].filter((part) => part !== '').join('  ');
}
