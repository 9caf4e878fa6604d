import { isAbsolute } from 'node:path';
import {
  type ConfigurationError,
  defaultPullsSettings,
  InstalledFiles,
  type InstallOptions,
  InstallRefusedError,
  limitOf,
  planInstall,
  socketPath,
} from '@slipway/image-pulls';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';
import { fileDiff } from './file-diff.js';
import { serviceCommand } from './service-command.js';

interface Options {
  readonly root: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly format: Format;
}

interface InstallFlags extends Options {
  readonly limit: number | 'fromKubelet';
  readonly runtime: string;
  readonly front: 'images' | 'both';
  readonly kubeletConfig: string;
  readonly kubeletConfigDir: string;
  readonly command?: string;
}

/** A file that changes; undefined when it does not exist. */
interface Changed {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** `slipway pulls install`. */
export function install(invocation: Invocation): Command {
  const { runtime, kubelet } = defaultPullsSettings;
  return changing(
    newCommand('install', 'Install the limiter as a service of this node, and direct its kubelet and crictl to it', [
      'slipway pulls install --limit 4 --dry-run',
      'slipway pulls install --limit 4 --yes',
      'slipway pulls install --limit 4 --kubelet-config-dir /etc/kubernetes/kubelet.conf.d --yes',
    ]),
  )
    .option('--limit <n>', 'pulls at once, 0 for no limit, or fromKubelet', limitArgument, 0)
    .option('--runtime <socket>', 'socket of the container runtime', endpointArgument, `unix://${runtime}`)
    .addOption(
      new Option('--front <which>', 'image calls only, or all calls of the kubelet')
        .choices(['images', 'both'])
        .default('images'),
    )
    .option('--kubelet-config <file>', 'the kubelet’s configuration', kubelet.config)
    .option(
      '--kubelet-config-dir <folder>',
      'its drop-ins, as the kubelet’s --config-dir names them',
      kubelet.configDir,
    )
    .option('--command <file>', 'the installed slipway that the service starts (default: this one)', commandArgument)
    .action(
      async ({
        root,
        limit,
        runtime: behind,
        front,
        kubeletConfig,
        kubeletConfigDir,
        command,
        ...how
      }: InstallFlags) => {
        const files = new InstalledFiles(root);
        const started = commandOf(root, command);
        const options: InstallOptions = {
          command: started,
          limit,
          runtime: behind,
          front,
          kubeletConfig,
          kubeletConfigDir,
        };
        const changes = plannedOr(() => planInstall(options, files));
        const next =
          'systemctl daemon-reload && systemctl enable --now slipway-pulls.socket slipway-pulls.service && systemctl restart kubelet';
        await carryOut(invocation, changes, how, { apply: () => files.apply(changes), next, done: 'Installed' });
      },
    );
}

/** `slipway pulls uninstall`. */
export function uninstall(invocation: Invocation): Command {
  return changing(
    newCommand('uninstall', 'Undo install: restore every file, except for later changes by others', [
      'slipway pulls uninstall --dry-run',
      'slipway pulls uninstall --yes',
    ]),
  ).action(async ({ root, ...how }: Options) => {
    const files = new InstalledFiles(root);
    const undo = plannedOr(() => files.planUndo());
    const changes = undo.map(({ path, now, restored }) => ({ path, before: now, after: restored }));
    const next =
      'systemctl restart kubelet && systemctl disable --now slipway-pulls.service slipway-pulls.socket && systemctl daemon-reload';
    await carryOut(invocation, changes, how, { apply: () => files.undo(), next, done: 'Uninstalled' });
  });
}

function changing(command: Command): Command {
  return command
    .option('--root <folder>', 'root folder of the node, for example of an image that is being built', '/')
    .option('--dry-run', 'show what would change only')
    .option('--yes', 'do not ask for confirmation')
    .addOption(outcomeOption());
}

/** Shows the plan, asks the user to agree to exactly that, and carries it out. Services are left to users. */
async function carryOut(
  { terminal, answer }: Invocation,
  planned: readonly Changed[],
  { dryRun, yes, format }: Omit<Options, 'root'>,
  { apply, next, done }: { readonly apply: () => void; readonly next: string; readonly done: string },
): Promise<void> {
  const changes = planned.filter(({ before, after }) => before !== after);
  const paths = changes.map(({ path }) => path);
  const diff = changes.map(({ path, before, after }) => fileDiff(path, before, after)).join('\n');
  if (dryRun) {
    terminal.out(
      renderOutcome(format, changes.length === 0 ? 'Nothing to change.\n' : diff, { changed: false, changes }),
    );
    return;
  }
  if (changes.length > 0 && !yes && !(await agreed(terminal, diff))) {
    terminal.err('Nothing was changed.\nTo fix: agree with --yes, or look first with --dry-run\n');
    answer(exit.no);
    return;
  }
  // Also without a difference: what was changed once is noted, and a note that nothing needs goes.
  apply();
  const text = changes.length === 0 ? 'Nothing to change.\n' : `${done}: ${paths.join(', ')}\nNow run: ${next}\n`;
  terminal.out(renderOutcome(format, text, { changed: true, changes: paths, next }));
}

async function agreed(terminal: Terminal, diff: string): Promise<boolean> {
  terminal.err(`${diff}\n`);
  return terminal.canAsk && /^y(es)?$/i.test((await terminal.ask('Change these files? [y/N] ')).trim());
}

function plannedOr<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InstallRefusedError)
      throw new CommandError(exit.no, error.message, error.hint, { cause: error });
    throw error;
  }
}

/** In an image that is being built a named command need not be there yet. */
function commandOf(root: string, named: string | undefined): readonly string[] {
  if (named !== undefined && root !== '/') return [named];
  return serviceCommand(named ?? process.argv[1] ?? process.execPath, process.execPath);
}

function commandArgument(path: string): string {
  if (isAbsolute(path)) return path;
  throw new InvalidArgumentError('a service needs its whole path, for example /usr/local/bin/slipway.');
}

function limitArgument(text: string): number | 'fromKubelet' {
  return text === 'fromKubelet' ? text : argument(() => limitOf(text, '--limit'));
}

function endpointArgument(text: string): string {
  return `unix://${argument(() => socketPath(text))}`;
}

function argument<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw (error as ConfigurationError).name === 'ConfigurationError'
      ? new InvalidArgumentError((error as Error).message)
      : error;
  }
}
