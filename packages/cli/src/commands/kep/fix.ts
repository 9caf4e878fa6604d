import { join, relative } from 'node:path';
import { type FileRole, fixKep, type LoadedKep, writeWhole } from '@slipway/kep';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';
import { openRepository, type RepositoryOptions, targets, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly unsafe?: boolean;
  readonly check?: boolean;
}

/** `slipway kep fix`. */
export function fix({ terminal, signal, answer }: Invocation): Command {
  return withRepository(
    newCommand('fix', 'Correct what can be corrected without asking', [
      'slipway kep fix 5620',
      'slipway kep fix --check',
      'slipway kep fix keps/sig-node/5620-balloons --rule KEP402',
    ]),
  )
    .argument('[targets...]', 'folders, files or numbers of proposals (default: all)')
    .option('--unsafe', 'also do what may be wrong')
    .option('--rule <rules...>', 'only these rules, by id or name')
    .option('--check', 'write nothing, and exit with 1 when there is something to correct')
    .action((names: string[], options: Options) => {
      const repository = openRepository(options, names[0]);
      let files = 0;
      let count = 0;
      for (const found of targets(repository, names)) {
        signal.throwIfAborted();
        const kep = repository.load(found);
        const { texts, fixed } = fixKep(repository, kep, { unsafe: options.unsafe === true });
        for (const [role, text] of texts) {
          const path = pathOf(kep, role, repository.layout.root);
          if (!options.check) writeWhole(path, text);
          files++;
          const rules = [...new Set(fixed.filter(({ file }) => file === role).map(({ rule }) => rule))].join(', ');
          terminal.out(`${relative(repository.layout.root, path)}: ${rules}\n`);
        }
        count += texts.size > 0 ? fixed.length : 0;
      }
      const verb = options.check ? 'to correct' : 'corrected';
      terminal.err(`${count} findings ${verb} in ${files} files\n`);
      if (options.check && files > 0) {
        terminal.err('To fix: slipway kep fix\n');
        answer(exit.no);
      }
    });
}

function pathOf({ found, approvalPath }: LoadedKep, role: FileRole, root: string): string {
  if (found.file) return found.file;
  if (role === 'approval') return join(root, approvalPath ?? '');
  return join(found.path, role === 'readme' ? 'README.md' : 'kep.yaml');
}
