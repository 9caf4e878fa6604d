import { writeOutput } from '@slipway/kep';
import { errorMessage } from '@slipway/kube';
import type { Command } from 'commander';
import { type Format, formatOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { reportFindings } from '../../runtime/finding.js';
import { checkCluster } from './cluster-checks.js';
import { readClusterFacts } from './cluster-facts.js';
import { readSupportObjects, supportBundle } from './support-bundle.js';

interface Options extends ClusterOptions {
  readonly bundle?: string;
  readonly format: Format;
}

/** `slipway doctor`. */
export function command({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('doctor', 'Check whether everything of Slipway on a cluster does its work', [
      'slipway doctor',
      'slipway doctor -o json',
      'slipway doctor --bundle support.yaml',
    ]),
  )
    .option('--bundle <file>', 'also write what a maintainer needs to know, without secrets, to a file')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(async ({ bundle, format, ...which }: Options) => {
      const kube = await connect(which);
      const findings = checkCluster(await readClusterFacts(kube, signal));
      reportFindings(findings, format, { terminal, answer });
      if (bundle !== undefined) {
        const objects = await readSupportObjects(kube, signal);
        write(bundle, supportBundle(findings, objects));
        terminal.err(`${objects.length} objects and logs are in ${bundle}: read it before you send it.\n`);
      }
    });
}

function write(path: string, text: string): void {
  try {
    writeOutput(path, [text]);
  } catch (error) {
    const why = errorMessage(error);
    throw new CommandError(exit.usage, `--bundle: ${why}`, 'name a file in a folder that you may write to', {
      cause: error,
    });
  }
}
