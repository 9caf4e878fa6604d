import { randomUUID } from 'node:crypto';
import {
  type Amounts,
  createDefaultPolicy,
  defaultPolicy,
  formatAmounts,
  minus,
  type NodeSize,
  type NodeSizeSpec,
  type ObservedNode,
  parseAmounts,
  previewRequest,
  requestSize,
  type SizePreview,
  SizeRefusedError,
} from '@slipway/balloons';
import { exactAmounts, inSeconds, inWords } from '@slipway/balloons/views';
import { findCondition, isConditionTrue, type Kube, mapConcurrently } from '@slipway/kube';
import { formatDuration } from '../../output/duration.js';
import { renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import type { Invocation } from '../../runtime/command.js';
import { type ExitCode, exit } from '../../runtime/exit.js';
import { AnswerWatch } from './answer-watch.js';
import { applyResizeFlags, type ResizeOptions } from './size-flags.js';

/** One node, and the size it shall have. */
export interface SizeRequest {
  readonly observed: ObservedNode;
  readonly spec: NodeSizeSpec;
}

/** What came of one request. `Planned` and `Requested`: the command did not wait for more. */
export interface SizeOutcome {
  readonly node: string;
  readonly result: string;
  readonly message: string;
  readonly from: Amounts;
  readonly to: Amounts;
  readonly durationMs?: number;
  readonly code: ExitCode;
}

/** Resizes nodes as the flags say, and prints what came of it. */
export async function sizeNodes(
  kube: Kube,
  requests: readonly SizeRequest[],
  how: ResizeOptions,
  invocation: Invocation,
): Promise<void> {
  const outcomes = await carryOut(kube, requests, how, invocation);
  const { terminal } = invocation;
  invocation.answer(outcomes.reduce<ExitCode>((worst, { code }) => (code > worst ? code : worst), exit.ok));
  const [only] = outcomes;
  const isOne = only !== undefined && outcomes.length === 1;
  const items = outcomes.map(outcomeDocument);
  const isSaidBelow = isOne && only.code !== exit.ok;
  const text = isSaidBelow ? '' : isOne ? sentence(only) : summary(outcomes);
  terminal.out(renderOutcome(how.format, text, isOne ? items[0] : { items }));
  const [failed] = outcomes.filter(({ code }) => code !== exit.ok);
  if (!failed) return;
  if (isOne) terminal.err(`slipway: ${failed.node}: ${failed.message}\n`);
  terminal.err(`To fix: slipway node explain ${failed.node}\n`);
}

async function carryOut(
  kube: Kube,
  requests: readonly SizeRequest[],
  how: ResizeOptions,
  { terminal, signal }: Invocation,
): Promise<readonly SizeOutcome[]> {
  const previews = requests.map((request): Previewed => {
    const spec = applyResizeFlags(request.spec, how);
    return { ...request, spec, preview: previewRequest(request.observed, spec) };
  });
  const possible = previews.filter(({ preview }) => preview.kind !== 'impossible');
  if (how.dryRun || possible.length === 0) return previews.map(planned);
  const unmanaged = possible.find(({ observed }) => !observed.policy);
  if (unmanaged) {
    await createDefaultPolicy(kube, unmanaged.observed.node.name, signal);
    terminal.err(
      `no policy managed ${unmanaged.observed.node.name}: made BalloonPolicy "${defaultPolicy}" for all nodes\n`,
    );
  }
  await using watch = how.wait ? new AnswerWatch(kube) : undefined;
  let done = 0;
  return await mapConcurrently(previews, how.maxParallel, async (request) => {
    const outcome = request.preview.kind === 'impossible' ? planned(request) : await resizeOne(request);
    done++;
    if (terminal.progress && previews.length > 1) terminal.draw('stderr', `\r${done}/${previews.length}`);
    if (terminal.progress && previews.length > 1 && done === previews.length) terminal.err('\n');
    return outcome;
  });

  async function resizeOne(request: Previewed): Promise<SizeOutcome> {
    const { observed, spec } = request;
    const requestID = randomUUID();
    const force = how.forceConflicts === true;
    try {
      await requestSize(kube, observed, { ...spec, requestID }, { force, signal });
    } catch (error) {
      if (!(error instanceof SizeRefusedError) || previews.length === 1) throw error;
      return { ...planned(request), result: 'Refused', message: error.message, code: exit.no };
    }
    if (!watch) return { ...planned(request), result: 'Requested', message: 'not waited for' };
    const answer = await watch.answer(observed.node.name, requestID, how.timeout, signal);
    return answer ? answered(request, answer) : unanswered(request, watch.newest(observed.node.name), how.timeout);
  }
}

interface Previewed extends SizeRequest {
  readonly preview: SizePreview;
}

/** What would be done. */
function planned({ observed, preview }: Previewed): SizeOutcome {
  const { numbers, node } = observed;
  const base = { node: node.name, from: numbers.size, to: numbers.size };
  if (preview.kind === 'impossible') return { ...base, result: 'DoesNotFit', message: preview.message, code: exit.no };
  if (preview.kind === 'at-size') {
    return { ...base, result: 'NoChange', message: 'the node has that size', code: exit.ok };
  }
  const { to, partial, direction } = preview.plan;
  const message = partial ? `${direction.toLowerCase()}, as far as it fits` : direction.toLowerCase();
  return { ...base, to: minus(numbers.allocatable, to), result: 'Planned', message, code: exit.ok };
}

const refusals = new Set([
  'DoesNotFit',
  'RolledBack',
  'Infeasible',
  'Rejected',
  'PodReplaced',
  'NodeGone',
  'Superseded',
  'ActuatorFailed',
]);

function answered(request: Previewed, { status = {} }: NodeSize): SizeOutcome {
  const { result = 'NoChange', message = '', durationMs } = status.lastResize ?? {};
  const code = refusals.has(result) ? exit.no : result === 'TimedOut' ? exit.unknown : exit.ok;
  const to = parseAmounts(status.size);
  return { ...planned(request), to, result, message, ...(durationMs !== undefined && { durationMs }), code };
}

/** A node that is degraded will not get there by waiting: that is an answer. */
function unanswered(request: Previewed, size: NodeSize | undefined, withinMs: number): SizeOutcome {
  const { conditions } = size?.status ?? {};
  const isStuck = isConditionTrue(conditions, 'Degraded');
  const why =
    findCondition(conditions, isStuck ? 'Degraded' : 'Ready')?.message ?? 'a balloon controller to take the request up';
  const message = `not done after ${formatDuration(withinMs)}; still waiting for ${why}`;
  return { ...planned(request), result: 'NotDone', message, code: isStuck ? exit.no : exit.unknown };
}

function sentence({ node, result, message, from, to, durationMs }: SizeOutcome): string {
  if (result === 'Planned') {
    return `${node} would go from ${inWords(from)} to ${inWords(to)} for pods (${message}).\n`;
  }
  if (result === 'Requested') return `${node} is to have ${inWords(to)} for pods.\n`;
  const took = durationMs ? ` after ${inSeconds(durationMs)}` : '';
  const how = result === 'Partial' ? ', as far as it fits' : '';
  return `${node} has ${inWords(to)} for pods${how}${took}.\n`;
}

function summary(outcomes: readonly SizeOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { result } of outcomes) counts.set(result, (counts.get(result) ?? 0) + 1);
  const table = renderTable(outcomes, [
    { heading: 'NODE', cell: ({ node }) => node },
    { heading: 'FROM', cell: ({ from }) => exactAmounts(from) },
    { heading: 'TO', cell: ({ to }) => exactAmounts(to) },
    { heading: 'RESULT', weight: 8, state: true, cell: ({ result }) => result },
    { heading: 'MESSAGE', weight: 9, cell: ({ message }) => message },
  ]);
  return `${table}${[...counts].map(([result, count]) => `${count} ${result}`).join(', ')}\n`;
}

function outcomeDocument({ from, to, code: _, ...outcome }: SizeOutcome): object {
  return { ...outcome, from: formatAmounts(from), to: formatAmounts(to) };
}
