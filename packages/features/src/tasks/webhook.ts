import type { Progress, Target, TaskArgs } from '../api/feature.js';
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
 * Leaves a step to somebody else's program. It answers `{ phase: Done|Running|Blocked,
 * message, progress, checkpoint }`; any other answer is tried again later.
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
        if (status < 200 || status > 299)
          return { kind: 'failed', message: `webhook ${name} answered with HTTP ${status}` };
        return read(name, body);
      } catch (error) {
        if (signal.aborted) throw error;
        return {
          kind: 'failed',
          message: `webhook ${name}: ${error instanceof Error ? error.message : String(error)}`,
        };
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

function read(name: string, body: unknown): TaskOutcome {
  const { phase, message, progress, checkpoint } = (body ?? {}) as Answer;
  if (phase === 'Done') return { kind: 'done' };
  if (phase !== 'Running' && phase !== 'Blocked') {
    return { kind: 'failed', message: `webhook ${name} answered without a phase of Done, Running or Blocked` };
  }
  return outcomeOfAuthor({
    phase,
    message: typeof message === 'string' ? message : `webhook ${name} says no more`,
    ...(phase === 'Running' && { retryAfterMs: everyMs }),
    ...(progress && typeof progress.done === 'number' && { progress }),
    ...(typeof checkpoint === 'string' && { checkpoint: checkpoint.slice(0, 1024) }),
  });
}

/** What a webhook may answer; nothing of it can be relied upon. */
interface Answer {
  readonly phase?: string;
  readonly message?: unknown;
  readonly progress?: Progress;
  readonly checkpoint?: unknown;
}
