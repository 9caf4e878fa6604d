import {
  type ChangePreview,
  ChangeRefusedError,
  type Feature,
  previewChange,
  requestChange,
  type Target,
} from '@slipway/features';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';
import { type WaitOptions, withWait } from '../../runtime/wait.js';
import { consentOptions, requireAgreement } from './agree.js';
import { requireFeature } from './find-feature.js';
import { renderPlan } from './views/render-plan.js';
import { notInTime, waitForState } from './wait-for-state.js';

interface Options extends ClusterOptions, WaitOptions {
  readonly namespace?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly format: Format;
}

/** `slipway feature on GATE` and `slipway feature off GATE`. */
export function onOffCommand(to: 'on' | 'off'): (invocation: Invocation) => Command {
  const target: Target = to === 'on' ? 'On' : 'Off';
  return (invocation) =>
    withWait(
      withCluster(
        newCommand(to, `Turn a feature ${to}, after printing the plan of its tasks`, [
          `slipway feature ${to} MaxUnavailableStatefulSet --dry-run`,
          `slipway feature ${to} MaxUnavailableStatefulSet --yes --wait --timeout 5m`,
        ]),
      ),
    )
      .argument('<gate>', 'name of the gate, in any case')
      .option('-n, --namespace <name>', 'namespace of the feature')
      .option('--dry-run', 'print the plan only')
      .option('--yes', 'approve exactly the printed plan')
      .addOption(formatOption('table', 'json', 'yaml'))
      .action((gate: string, options: Options) => run(gate, target, options, invocation));
}

async function run(gate: string, to: Target, options: Options, { terminal, signal }: Invocation): Promise<void> {
  const kube = await connect(options);
  const feature = await requireFeature(kube, gate, options.namespace, { terminal, signal });
  const preview = await previewChange(kube, feature, to, signal);
  const show = (document: unknown, text: string) =>
    terminal.out(options.format === 'table' ? text : renderList([], { format: options.format, columns: [], document }));

  if (options.dryRun) {
    show(withoutFeature(preview), renderPlan(preview));
    return;
  }
  if (preview.change !== 'same' || preview.needsConsent) terminal.err(renderPlan(preview));
  const consent = preview.needsConsent && (options.yes === true || (await agreed(preview, terminal)));
  const how = { ...consentOptions(options, signal), consent };
  const requested = await refusalsExplained(feature.spec.gate, () => requestChange(kube, preview, how));
  if (!options.wait) {
    show(
      requested,
      `${feature.spec.gate} is to be ${to}. Follow it with: slipway feature watch ${feature.spec.gate}\n`,
    );
    return;
  }
  const timeoutMs = options.timeout;
  const { reached, last } = await waitForState(kube, requested, to, { withinMs: timeoutMs, signal, terminal });
  if (reached) {
    show(last, `${feature.spec.gate} is ${to}.\n`);
    return;
  }
  show(last, '');
  throw notInTime(last, `${feature.spec.gate} is not ${to}`, timeoutMs);
}

/** A plan that needs consent is agreed to by a person who types the number of objects it touches. */
async function agreed({ inUse, tasks }: ChangePreview, terminal: Terminal): Promise<boolean> {
  await requireAgreement({ count: inUse?.count ?? 0, tasks }, 'look at the plan with --dry-run', terminal);
  return true;
}

async function refusalsExplained(gate: string, request: () => Promise<Feature>): Promise<Feature> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ChangeRefusedError)) throw error;
    throw new CommandError(exit.no, error.message, remedyFor(error, gate), { cause: error });
  }
}

function remedyFor({ reason, fix }: ChangeRefusedError, gate: string): string {
  if (fix !== undefined) return fix;
  if (reason !== 'NotDynamic') return 'slipway feature list -o wide';
  return `set ${gate} in the --feature-gates of each component; slipway feature uses ${gate} shows who has which value`;
}

/** What programs read of a preview: the plan, not the objects it was made from. */
function withoutFeature({ feature, definition: _, ...plan }: ChangePreview): unknown {
  const { name, namespace } = feature.metadata;
  return { gate: feature.spec.gate, name, namespace, ...plan };
}
