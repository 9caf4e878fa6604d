import type { Feature } from '@slipway/features';
import type { EvidenceClaim, Finding, FoundKep, KepFacts, KepRepository } from '@slipway/kep';
import type { TextNode } from '@slipway/kep/site';
import { type Clock, keyOf } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gatherUntil } from './gather.js';
import { problemOf } from './problem.js';
import type { KepLine, Proposals } from './proposals.js';
import { rowChanges } from './row-changes.js';
import type { Source } from './source.js';

/** A finding as it stands beside the text. */
export interface ShownFinding {
  readonly rule: string;
  readonly severity: Finding['severity'];
  readonly message: string;
  /** Path of the file, relative to the checkout. */
  readonly path: string;
  readonly line: number;
  /** Whether it is of the text that the page shows. */
  readonly isOfText: boolean;
}

/** Evidence that `slipway kep verify --write` has left. */
export interface ShownEvidence {
  readonly name: string;
  readonly stage: string;
  readonly serverVersion: string;
  readonly simulated: boolean;
  readonly finishedAt: string;
  /** Its file was changed by hand. */
  readonly edited: boolean;
  /** The proposal claims something else by now. */
  readonly isOutdated: boolean;
  readonly claims: readonly EvidenceClaim[];
}

/** Everything that the page of a proposal shows; without `line` there is none of that name. */
export interface KepDocument {
  readonly line?: KepLine;
  /** Where it lies on the machine of the console. */
  readonly path?: string;
  readonly text?: readonly TextNode[];
  readonly findings?: readonly ShownFinding[];
  readonly evidence?: readonly ShownEvidence[];
  /** Its gates in this cluster: `key` is that of a Feature. */
  readonly features?: readonly { readonly gate: string; readonly key?: string; readonly state?: string }[];
}

/** All proposals of the checkout. */
export function kepsFeed(proposals: Proposals): Feed {
  return (send, signal) => {
    const changes = rowChanges<KepLine>();
    let told = false;
    const report = () => {
      const { problem, isKnown } = proposals;
      if (problem || told) send({ type: 'problem', ...(problem && { problem }) });
      told = problem !== undefined;
      const message = isKnown ? changes(proposals.lines) : undefined;
      if (message) send(message);
    };
    if (proposals.isKnown) report();
    const watching = proposals.onChange(report);
    signal.addEventListener('abort', () => watching.close());
  };
}

const everyMs = 250;

/** One proposal, and its gates in the cluster. */
export function kepFeed(proposals: Proposals, features: Source<Feature>, page: string, clock: Clock): Feed {
  return (send, signal) => {
    let sent = '';
    const flush = () => {
      if (!proposals.isKnown) return false;
      void report();
      return true;
    };
    const report = async () => {
      try {
        const document = await documentOf(proposals, features, page);
        const text = JSON.stringify(document);
        if (text !== sent && !signal.aborted) send({ type: 'document', document });
        sent = text;
      } catch (error) {
        send({ type: 'problem', problem: problemOf(error) });
      }
    };
    features.start();
    gatherUntil(signal, clock, everyMs, flush, (ask) => {
      ask();
      return [proposals.onChange(ask), features.informer.onChange(ask), features.onProblem(ask)];
    });
  };
}

async function documentOf(proposals: Proposals, features: Source<Feature>, page: string): Promise<KepDocument> {
  const line = proposals.lines.find(({ key }) => key === page);
  const repository = await proposals.open?.();
  const found = line && repository?.keps().find(({ directory }) => directory === line.directory);
  if (!line || !repository || !found) return {};
  const { counts } = await import('@slipway/kep');
  const kep = repository.load(found);
  const facts = repository.facts(kep);
  return {
    line,
    path: found.path,
    text: await textOf(facts, found, proposals),
    findings: repository.check(facts, kep).filter(counts).map(shownFinding),
    evidence: await evidenceOf(repository, found, facts),
    features: line.gates.map((gate) => featureOf(features, gate)),
  };
}

async function textOf(
  { document }: KepFacts,
  { directory }: FoundKep,
  { lines }: Proposals,
): Promise<readonly TextNode[]> {
  if (!document) return [];
  const { documentTree, linkTo } = await import('@slipway/kep/site');
  const pages = new Map(lines.map((line) => [line.directory, `/keps/${line.key}`]));
  return documentTree(document, { link: (target) => linkTo(target, directory, (path) => pages.get(path)) });
}

function shownFinding({ rule, severity, message, path, file, span }: Finding): ShownFinding {
  return { rule, severity, message, path, line: span.start.line, isOfText: file === 'readme' };
}

async function evidenceOf(
  repository: KepRepository,
  found: FoundKep,
  facts: KepFacts,
): Promise<readonly ShownEvidence[]> {
  const { claimsHash, extractClaims } = await import('@slipway/kep');
  const hash = claimsHash(extractClaims(facts));
  const files = repository.load(found).evidence.flatMap(({ name, edited, evidence }) => {
    if (!evidence) return [];
    const { claimsHash: of, ...rest } = evidence;
    return [{ name, edited, isOutdated: of !== hash, ...rest }];
  });
  return files.sort((one, other) => other.finishedAt.localeCompare(one.finishedAt));
}

function featureOf(features: Source<Feature>, gate: string): NonNullable<KepDocument['features']>[number] {
  const feature = features.informer.lister.list().find(({ spec }) => spec.gate === gate);
  return { gate, ...(feature && { key: keyOf(feature), state: feature.status?.state ?? 'Unknown' }) };
}
