import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ClaimResult,
  type Claims,
  claimsBlock,
  claimsHash,
  type Evidence,
  type EvidenceClaim,
  evidenceName,
  extractClaims,
  isStage,
  judgeClaims,
  writeEvidence,
  writeWhole,
} from '@slipway/kep';
import { printableLine } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type ClusterOptions, withCluster } from '../../runtime/cluster-options.js';
import { type Invocation, newCommand, repeated } from '../../runtime/command.js';
import { CommandError, type ExitCode, exit } from '../../runtime/exit.js';
import { kepStageOf, oneKep, openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions, ClusterOptions {
  readonly stage?: string;
  readonly only?: readonly string[];
  readonly explain?: boolean;
  readonly write?: boolean;
  readonly allowInconclusive?: boolean;
  readonly format: Format;
}

/** `slipway kep verify KEP`. */
export function verify({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    withRepository(
      newCommand('verify', 'Check on a cluster whether the claims of a proposal hold; read-only', [
        'slipway kep verify 5620',
        'slipway kep verify 5620 --write --context staging',
        'slipway kep verify 5620 --explain',
      ]),
    ),
  )
    .argument('<kep>', 'folder, file or number')
    .option('--stage <stage>', 'take the claims for this stage instead of its own')
    .option('--only <claim>', 'only this claim, by id; may be repeated', repeated)
    .option('--explain', 'print the claims as a block for the proposal, without a cluster')
    .option('--write', 'keep the outcome in the evidence folder of the proposal')
    .option('--allow-inconclusive', 'ignore claims that could not be observed')
    .addOption(outcomeOption())
    .action(async (name: string, options: Options) => {
      const repository = openRepository(options, name.includes('/') ? name : '.');
      const kep = repository.load(oneKep(repository, name));
      const facts = repository.facts(kep, kepStageOf(options.stage));
      const claims = chosen(extractClaims(facts), options.only);
      if (options.explain) {
        terminal.out(renderOutcome(options.format, claimsBlock(claims), { version: 1, ...claims }));
        return;
      }
      if (claims.claims.length === 0)
        throw new CommandError(
          exit.unknown,
          `${kep.found.directory} has no claims that a cluster can verify`,
          'name its gate in kep.yaml',
        );
      const { stage } = facts;
      if (!isStage(stage))
        throw new CommandError(exit.usage, `${kep.found.directory} has no stage yet`, 'name one with --stage');
      // The other verbs need no cluster, and do not load its client.
      const { connect } = await import('../../runtime/connect.js');
      const { observeCluster } = await import('./observe-cluster.js');
      const { systemClock, timestamp } = await import('@slipway/kube');
      const kube = await connect(options);
      const { view, serverVersion, simulated } = await observeCluster(
        kube,
        { fields: claims.claims.some(({ kind }) => kind === 'field') },
        signal,
      );
      const found = judgeClaims(claims.claims, view);
      const evidence: Evidence = {
        stage,
        claimsHash: claimsHash(claims),
        serverVersion,
        simulated,
        finishedAt: timestamp(systemClock.now()),
        claims: found,
      };
      if (options.write) terminal.err(`wrote ${write(kep.found.path, evidence)}\n`);
      terminal.out(
        renderOutcome(options.format, tableOf(found, claims, evidence), {
          version: 1,
          ...evidence,
          unread: claims.unread,
        }),
      );
      const code = verdict(found, options.allowInconclusive === true);
      if (code === exit.no)
        terminal.err('To fix: correct the proposal, or the component that does not do what it says\n');
      if (code === exit.unknown)
        terminal.err(
          'To fix: use the feature in the cluster and ask again, or accept this with --allow-inconclusive\n',
        );
      answer(code);
    });
}

function chosen(claims: Claims, only: readonly string[] | undefined): Claims {
  if (only === undefined) return claims;
  for (const id of only) {
    if (claims.claims.some((claim) => claim.id === id)) continue;
    throw new CommandError(
      exit.usage,
      `--only: there is no claim ${id}`,
      'slipway kep verify KEP --explain lists them',
    );
  }
  return { ...claims, claims: claims.claims.filter(({ id }) => only.includes(id)) };
}

function verdict(found: readonly EvidenceClaim[], allowInconclusive: boolean): ExitCode {
  const has = (result: ClaimResult) => found.some((claim) => claim.result === result);
  if (has('refuted')) return exit.no;
  return has('unobservable') && !allowInconclusive ? exit.unknown : exit.ok;
}

function tableOf(found: readonly EvidenceClaim[], { unread }: Claims, { serverVersion, simulated }: Evidence): string {
  const table = renderTable(found, [
    { heading: 'CLAIM', cell: ({ id }) => id },
    { heading: 'RESULT', weight: 8, state: true, cell: ({ result }) => result },
    { heading: 'SEEN', weight: 9, cell: ({ detail }) => detail },
  ]);
  const left = unread
    .map(({ file, line, text }) => `${file}:${line} names nothing to ask for: ${printableLine(text)}\n`)
    .join('');
  return `${table}${left}asked ${serverVersion}${simulated ? ', a simulated cluster' : ''}\n`;
}

function write(folder: string, evidence: Evidence): string {
  const path = join(folder, 'evidence', evidenceName(evidence));
  mkdirSync(join(folder, 'evidence'), { recursive: true });
  writeWhole(path, writeEvidence(evidence));
  return path;
}
