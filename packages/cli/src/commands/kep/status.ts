import { cardOf, counts, type FoundKep, isOpen, type KepFacts, type KepRepository, type LoadedKep } from '@slipway/kep';
import type { Command } from 'commander';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import type { TableColumn } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { expectShortRun } from '../../runtime/short-run.js';
import { answeredOf } from './kep-rows.js';
import { openRepository, type RepositoryOptions, someKeps, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly milestone?: string;
  readonly stage?: string;
  readonly sig?: string;
  readonly format: Format;
}

/** Where a proposal stands before the freeze of a release. */
interface Standing {
  readonly number: string;
  readonly sig: string;
  readonly stage: string;
  readonly milestone: string;
  readonly answered: string;
  readonly approved: boolean;
  readonly errors: number;
  readonly state: 'tracked' | 'at risk';
  readonly title: string;
}

/** `slipway kep status`. */
export function status({ terminal, signal }: Invocation): Command {
  return withRepository(
    newCommand('status', 'Show which proposals are ready for a release', ['slipway kep status --milestone v1.37']),
  )
    .option('--milestone <release>', 'only those meant for this release')
    .option('--stage <stage>', 'only those at this stage')
    .option('--sig <group>', 'only those of this group')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action((options: Options) => {
      expectShortRun();
      const repository = openRepository(options);
      const rows = someKeps(repository).flatMap((found) => {
        signal.throwIfAborted();
        return standingOf(repository, found, options) ?? [];
      });
      if (rows.length === 0 && isForPeople(options.format)) {
        terminal.err('No implementable proposal is like that.\n');
        return;
      }
      // Releases and approvals are of proposals of Kubernetes only.
      const ofKeps = (column: TableColumn<Standing>) => (repository.config.hasKeps ? [column] : []);
      const columns = [
        { heading: 'NUMBER', cell: (row: Standing) => row.number },
        { heading: repository.config.hasKeps ? 'SIG' : 'KIND', cell: (row: Standing) => row.sig },
        { heading: 'STAGE', cell: (row: Standing) => row.stage },
        ...ofKeps({ heading: 'MILESTONE', weight: 0, cell: (row) => row.milestone }),
        { heading: 'ANSWERED', weight: 0, cell: (row: Standing) => row.answered },
        ...ofKeps({ heading: 'APPROVED', weight: 0, cell: (row) => (row.approved ? 'yes' : 'no') }),
        { heading: 'ERRORS', cell: (row: Standing) => String(row.errors) },
        { heading: 'STATE', weight: 9, state: true, cell: (row: Standing) => row.state },
        { heading: 'TITLE', weight: 9, cell: (row: Standing) => row.title },
      ];
      terminal.out(renderList(rows, { format: options.format, columns, document: { version: 1, items: rows } }));
    });
}

function standingOf(repository: KepRepository, found: FoundKep, options: Options): Standing | undefined {
  const kep = repository.load(found);
  if (found.kind !== undefined) return standingOfDeclared(repository, kep, options);
  const one = (name: string) => kep.yaml?.one(name)?.value ?? '';
  const milestone = one('latest-milestone');
  const wanted = options.milestone?.replace(/^v/, '');
  if (!/^implement(?:able|ed)$/.test(one('status'))) return undefined;
  if (wanted !== undefined && milestone.replace(/^v/, '') !== wanted) return undefined;
  if (options.stage !== undefined && one('stage') !== options.stage) return undefined;
  if (options.sig !== undefined && one('owning-sig') !== options.sig) return undefined;
  const facts = repository.facts(kep);
  const approved = kep.approval?.stages.get(facts.stage) !== undefined;
  const errors = errorsOf(repository, facts, kep);
  const isReady = approved && errors === 0 && !facts.assessed.some(isOpen);
  return {
    number: one('kep-number'),
    sig: one('owning-sig'),
    stage: facts.stage,
    milestone,
    answered: answeredOf(facts),
    approved,
    errors,
    state: isReady ? 'tracked' : 'at risk',
    title: one('title'),
  };
}

/** A document that is closed has nothing to be ready for. */
function standingOfDeclared(repository: KepRepository, kep: LoadedKep, options: Options): Standing | undefined {
  const facts = repository.facts(kep);
  const { number, title, group, stage } = cardOf(facts, kep.found);
  if (facts.phase === 'frozen' || options.milestone !== undefined) return undefined;
  if (options.stage !== undefined && facts.stage !== options.stage) return undefined;
  if (options.sig !== undefined && group !== options.sig) return undefined;
  const errors = errorsOf(repository, facts, kep);
  const state = errors === 0 && !facts.assessed.some(isOpen) ? 'tracked' : 'at risk';
  return {
    number,
    sig: group,
    stage,
    milestone: '',
    answered: answeredOf(facts),
    approved: false,
    errors,
    state,
    title,
  };
}

function errorsOf(repository: KepRepository, facts: KepFacts, kep: LoadedKep): number {
  return repository.check(facts, kep).filter((finding) => counts(finding) && finding.severity === 'error').length;
}
