import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type FileRole, fixKep, type KepRepository, type LoadedKep, writeWhole } from '@slipway/kep';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand, repeated } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';
import { openRepository, type RepositoryOptions, targets, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly unsafe?: boolean;
  readonly check?: boolean;
  readonly format: Format;
}

/** One file that was corrected, or would be. */
interface FixedFile {
  readonly path: string;
  readonly rules: readonly string[];
  readonly findings: number;
}

/** `slipway kep fix`. */
export function fix({ terminal, signal, answer }: Invocation): Command {
  return withRepository(
    newCommand('fix', 'Fix what can be fixed automatically', [
      'slipway kep fix 5620',
      'slipway kep fix --check -o json',
      'slipway kep fix keps/sig-node/5620-balloons --rule KEP402',
    ]),
  )
    .argument('[targets...]', 'folders, files or numbers of proposals (default: all)')
    .option('--unsafe', 'also do what may be wrong')
    .option('--rule <rule>', 'only this rule, by id or name; may be repeated', repeated)
    .option('--check', 'write nothing, and exit with 1 when there is something to correct')
    .addOption(outcomeOption())
    .action((names: string[], options: Options) => {
      const repository = openRepository(options, names[0]);
      const { root } = repository.layout;
      const files: FixedFile[] = [];
      for (const found of targets(repository, names)) {
        signal.throwIfAborted();
        const kep = repository.load(found);
        const { texts, fixed } = fixKep(repository, kep, { unsafe: options.unsafe === true });
        for (const [role, text] of texts) {
          const path = pathOf(kep, role, repository);
          if (!options.check) write(path, text);
          const here = fixed.filter((finding) => (finding.fix?.file ?? finding.file) === role);
          const rules = [...new Set(here.map(({ rule }) => rule))];
          files.push({ path: relative(root, path), rules, findings: here.length });
        }
      }
      const lines = files.map(({ path, rules }) => `${path}: ${rules.join(', ')}\n`).join('');
      terminal.out(renderOutcome(options.format, lines, { version: 1, written: !options.check, files }));
      const count = files.reduce((sum, { findings }) => sum + findings, 0);
      terminal.err(`${count} findings ${options.check ? 'to correct' : 'corrected'} in ${files.length} files\n`);
      if (options.check && files.length > 0) {
        terminal.err('To fix: slipway kep fix\n');
        answer(exit.no);
      }
    });
}

/** A production readiness file may be the first of its group. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, text);
}

function pathOf({ found, approvalPath }: LoadedKep, role: FileRole, repository: KepRepository): string {
  const side = repository.kindOf(found)?.metadataFile;
  if (role === 'yaml' && side !== undefined) return join(found.path, side);
  if (found.file) return found.file;
  if (role === 'approval') return join(repository.layout.root, approvalPath ?? '');
  return join(found.path, role === 'readme' ? 'README.md' : 'kep.yaml');
}
