import { createHmac } from 'node:crypto';
import { type Clock, errorMessage, sleep } from '@slipway/kube';
import type { ResourceName } from '../planner/amounts.js';
import { type Actuator, type ActuatorAnswer, unknown } from './actuator.js';
import { asQuestion, readAnswer } from './answer.js';

export interface WebhookActuatorOptions {
  readonly name: string;
  readonly resources: readonly ResourceName[];
  /** `https:`, or `http:` to a loopback address. */
  readonly url: string;
  /** Shared with the receiver, which authenticates the caller by it. */
  readonly secret: string;
  readonly clock: Clock;
}

const attempts = 3;
const betweenAttemptsMs = 1_000;
const maxAnswerBytes = 1024 * 1024;

/**
 * Calls a webhook by POST. `X-Slipway-Timestamp` is the time in seconds since 1970 and
 * `X-Slipway-Signature` is `sha256=` and the HMAC-SHA256, in hex, of that, a dot and the
 * body. After a failed connection or a response 5xx the call is repeated up to twice.
 */
export function webhookActuator(options: WebhookActuatorOptions): Actuator {
  const { name, resources } = options;
  return {
    name,
    resources,
    ensure: (operation, signal) => askPatiently(options, asQuestion('ensure', operation), signal),
    observe: (machine, signal) => askPatiently(options, asQuestion('observe', machine), signal),
  };
}

async function askPatiently(options: WebhookActuatorOptions, body: string, signal: AbortSignal) {
  let last = unknown('no call was made');
  for (let attempt = 1; attempt <= attempts && !signal.aborted; attempt++) {
    if (attempt > 1) await sleep(options.clock, betweenAttemptsMs, signal).catch(() => {});
    const { answer, again } = await askOnce(options, body, signal);
    if (!again) return answer;
    last = answer;
  }
  return signal.aborted ? unknown(`${options.name}: out of time`) : last;
}

async function askOnce(
  { name, url, secret, clock }: WebhookActuatorOptions,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly answer: ActuatorAnswer; readonly again: boolean }> {
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slipway-timestamp': timestamp,
        'x-slipway-signature': `sha256=${signature}`,
      },
      body,
      redirect: 'error',
      signal,
    });
    const text = (await response.text()).slice(0, maxAnswerBytes);
    if (response.ok) return { answer: readAnswer(text), again: false };
    return { answer: unknown(`${name}: HTTP ${response.status}`), again: response.status >= 500 };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { answer: unknown(`${name}: ${errorMessage(cause)}`), again: true };
  }
}
