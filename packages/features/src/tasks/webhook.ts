import { errorMessage } from '@slipway/kube';
import type { Progress, TaskArgs } from '../api/feature.js';
import type { Target } from '../api/target.js';
import { blocksAfter } from '../lifecycle/failure.js';
import { fieldProblem, isRecord, shown } from '../lifecycle/outcome-problem.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import { outcomeOfAuthor } from './register-task.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';

/** Where a webhook is. Only the server that runs it knows: no definition names an address. */
export interface WebhookEndpoint {
  readonly url: string;
  /** Certificates in PEM that its own is checked with; those of the system when absent. */
  readonly caBundle?: string;
  /** At most 30 000, which it also is when absent. */
  readonly timeoutMs?: number;
}

/** What a webhook is told. Repeated calls for the same task have the same `Idempotency-Key`: do things once. */
export interface WebhookCall {
  readonly feature: string;
  readonly namespace: string;
  readonly transition: string;
  readonly task: string;
  readonly to: Target;
  readonly attempt: number;
  readonly checkpoint?: string;
  readonly args?: TaskArgs;
}

/** Posts JSON over HTTPS. Rejects when no answer came in time. */
export type Post<Body extends object = WebhookCall> = (
  endpoint: WebhookEndpoint,
  body: Body,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** How often a webhook that said `Running` is asked again. */
const everyMs = 15_000;

/**
 * Leaves a step to an external program. It answers `{ phase: Done|Running|Blocked,
 * message, progress, checkpoint }`. Any other answer is a failure: it is tried again, later each time, and a person
 * is told after a few of them.
 */
export function webhookTask(endpoints: Readonly<Record<string, WebhookEndpoint>>, post: Post): Task {
  return {
    kind: 'Webhook',
    destructive: true,
    check: (args) =>
      argumentProblems('Webhook', args, { name: { type: 'text', required: true }, args: { type: 'object' } }),
    async run({ feature, transition, task, signal }) {
      const { name, args } = task.args as { readonly name: string; readonly args?: TaskArgs };
      const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
      if (!endpoint) return notConfigured('webhook', name, Object.keys(endpoints));
      const call: WebhookCall = {
        feature: feature.spec.gate,
        namespace: feature.metadata.namespace ?? '',
        transition: transition.id,
        task: task.name,
        to: transition.to,
        attempt: (task.attempts ?? 0) + 1,
        ...(task.checkpoint !== undefined && { checkpoint: task.checkpoint }),
        ...(args && { args }),
      };
      const headers = { 'Idempotency-Key': `${transition.id}/${task.name}` };
      try {
        const { status, body } = await post(endpoint, call, headers, signal);
        return status >= 200 && status <= 299 ? read(name, body) : refused(name, status);
      } catch (error) {
        if (signal.aborted) throw error;
        return unreachable(name, error);
      }
    },
  };
}

/** A definition names something that this server was not told about. */
export function notConfigured(what: string, name: string, known: readonly string[]): TaskOutcome {
  const there = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none';
  const message = `this feature server has no ${what} ${name} in its local configuration; ${there}`;
  return { kind: 'blocked', reason: 'NotConfigured', message };
}

/** A webhook answered that it does not do this, or cannot now. */
function refused(name: string, status: number): TaskOutcome {
  const isForNow = status >= 500 || [408, 425, 429].includes(status);
  const remedy = isForNow ? '' : '; see to the webhook, or to its url in the configuration of the feature server';
  return {
    kind: 'failed',
    message: `webhook ${name} answered with HTTP ${status}${remedy}`,
    blocksAfter: isForNow ? blocksAfter.away : blocksAfter.likely,
  };
}

/** No answer came: where the certificate is the reason, none will before a user changes something. */
function unreachable(name: string, error: unknown): TaskOutcome {
  const message = `webhook ${name}: ${errorMessage(error)}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!certificateErrors.test(code)) return { kind: 'failed', message, blocksAfter: blocksAfter.away };
  const remedy = 'name the CA in caBundle in the configuration of the feature server, or renew the certificate';
  return { kind: 'failed', message: `${message} (${code}); ${remedy}`, blocksAfter: blocksAfter.certain };
}

/** Codes of OpenSSL, as Node.js gives them, for a certificate that is not trusted. */
const certificateErrors = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|CRL|HOSTNAME_MISMATCH/;

function read(name: string, body: unknown): TaskOutcome {
  const problem = answerProblem(body);
  if (problem !== undefined) {
    return {
      kind: 'failed',
      message: `webhook ${name} answered what it may not: ${problem}`,
      blocksAfter: blocksAfter.likely,
    };
  }
  const { phase, message, progress, checkpoint } = withoutNull(body as Answer);
  if (phase === 'Done') return { kind: 'done' };
  return outcomeOfAuthor({
    phase,
    message: message ?? `webhook ${name} says no more`,
    ...(phase === 'Running' && { retryAfterMs: everyMs }),
    ...(progress && { progress: progressOf(progress) }),
    ...(checkpoint !== undefined && { checkpoint }),
  });
}

/** What is wrong with an answer: `{ phase, message, progress, checkpoint }`; fields of other names are its own. */
function answerProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return `it must be a JSON object, not ${shown(body)}`;
  const { phase, message, progress, checkpoint } = withoutNull(body);
  if (phase !== 'Done' && phase !== 'Running' && phase !== 'Blocked') {
    return `phase must be Done, Running or Blocked, not ${shown(phase)}`;
  }
  return fieldProblem({ message, progress, checkpoint });
}

/** Many languages write null for what is not there. */
function withoutNull<T extends object>(body: T): T {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as T;
}

/** Without fields that a status does not have. */
function progressOf({ done, total, unit }: Progress): Progress {
  return { done, ...(total !== undefined && { total }), unit };
}

interface Answer {
  readonly phase: 'Done' | 'Running' | 'Blocked';
  readonly message?: string;
  readonly progress?: Progress;
  readonly checkpoint?: string;
}
