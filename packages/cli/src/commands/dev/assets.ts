import { defaultVersion, supportedVersions } from '@slipway/devcluster/versions';
import { type Command, Option } from 'commander';
import { thisProgram } from '../../local-cluster/this-program.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { writeAssets } from '../../test-assets/write-assets.js';

interface AssetsOptions {
  readonly kubernetes: string;
  readonly format: Format;
}

/** `slipway dev assets`: programs for tests that start a kube-apiserver and an etcd. */
export function assetsCommand({ terminal }: Invocation): Command {
  return newCommand('assets', 'Write a folder for KUBEBUILDER_ASSETS: kube-apiserver and etcd of Slipway', [
    'slipway dev assets ./assets',
    'slipway dev assets ./assets --kubernetes 1.36 -o json',
  ])
    .argument('<folder>', 'folder to write to; it is made when missing')
    .addOption(
      new Option('--kubernetes <version>', 'Kubernetes version of the kube-apiserver')
        .choices(supportedVersions)
        .default(defaultVersion),
    )
    .addOption(outcomeOption())
    .action((folder: string, { kubernetes: version, format }: AssetsOptions) => {
      const program = [process.execPath, ...thisProgram()];
      const written = writeAssets(folder, { program, version, searchPath: process.env.PATH ?? '' });
      const { path, programs } = written;
      const text = `Wrote ${programs.join(', ')} to ${path}.\nTests use them with KUBEBUILDER_ASSETS=${path}\n`;
      terminal.out(renderOutcome(format, text, written));
      if (programs.includes('kubectl')) return;
      terminal.err('slipway: kubectl is not on the PATH; tests that use it need one in the folder\n');
    });
}
