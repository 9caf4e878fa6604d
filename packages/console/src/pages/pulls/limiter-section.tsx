import { useState } from 'preact/hooks';
import type { LimiterCard } from '../../feeds/limiter-feeds.js';
import type { Problem } from '../../feeds/problem.js';
import { ProblemNotice } from '../controls/notices.js';
import { ask } from '../shell/session.js';
import { Outlook } from './outlook.js';
import { Queue } from './queue.js';

export interface SteerAnswer {
  readonly problem?: Problem;
  readonly error?: string;
}

/** One limiter: its slots, its limit, its queue, and what other limits would mean. */
export function LimiterSection({ card }: { readonly card: LimiterCard }) {
  const { name, headline, problem, limit = 0, counted = 0, waiting = 0, paused, rate, hasJournal } = card;
  const [answer, setAnswer] = useState<SteerAnswer>();
  const [asksOutlook, setAsksOutlook] = useState(false);
  const steer = async (verb: string, body: object) => {
    const path = `/api/pulls/${verb}`;
    setAnswer(
      await ask<SteerAnswer>(path, { limiter: name, ...body }).catch((error: unknown) => ({ error: `${error}` })),
    );
  };
  return (
    <section aria-label={`Limiter ${name}`}>
      <h2>{name}</h2>
      {problem && <ProblemNotice problem={problem} />}
      {headline && (
        <div class="limiter">
          <p role="status">
            {headline}
            {rate && <span class="faint">; {rate}</span>}
          </p>
          <Slots limit={limit} counted={counted} />
          <LimitForm limit={limit} onSet={(body) => void steer('limit', body)} />
          <p class="actions">
            <button type="button" onClick={() => void steer('pause', { paused: !paused })}>
              {paused ? 'Go on' : 'Pause'}
            </button>
            {hasJournal && (
              <button type="button" aria-expanded={asksOutlook} onClick={() => setAsksOutlook(!asksOutlook)}>
                What would another limit mean?
              </button>
            )}
          </p>
          {answer?.problem && <ProblemNotice problem={answer.problem} />}
          {answer?.error && (
            <p class="warn" role="alert">
              {answer.error}
            </p>
          )}
          {asksOutlook && <Outlook of={{ limiter: name }} />}
          <Queue limiter={name} isEmpty={counted + waiting === 0} onDrop={(image) => void steer('drop', { image })} />
        </div>
      )}
    </section>
  );
}

const maxSlots = 64;

/** A slot a square, full or free. */
function Slots({ limit, counted }: { readonly limit: number; readonly counted: number }) {
  const slots = Math.min(maxSlots, Math.max(limit, counted));
  if (slots === 0) return null;
  return (
    <p class="slots" role="img" aria-label={`${counted} slots in use${limit > 0 ? ` of ${limit}` : ', no limit'}`}>
      {Array.from({ length: slots }, (_, at) => (
        <i key={at} class={at >= counted ? '' : limit > 0 && at >= limit ? 'slot-over' : 'slot-full'} />
      ))}
    </p>
  );
}

const hourMs = 3_600_000;
const times: readonly (readonly [number, string])[] = [
  [0, 'until its next reload'],
  [hourMs / 4, 'for 15 minutes'],
  [hourMs, 'for 1 hour'],
  [4 * hourMs, 'for 4 hours'],
  [24 * hourMs, 'for a day'],
];

interface LimitFormProps {
  readonly limit: number;
  readonly onSet: (body: { readonly limit: string; readonly forMs?: number }) => void;
}

/** Sets the limit, as `slipway pulls limit` does. */
function LimitForm({ limit, onSet }: LimitFormProps) {
  const [typed, setTyped] = useState<string>();
  const [forMs, setForMs] = useState(0);
  const text = typed ?? String(limit);
  const isLimit = /^\d{1,4}$/.test(text);
  const submit = (event: Event) => {
    event.preventDefault();
    onSet({ limit: text, ...(forMs > 0 && { forMs }) });
    setTyped(undefined);
  };
  return (
    <form class="limit-form" onSubmit={submit}>
      <label>
        Limit{' '}
        <input
          class="field"
          inputMode="numeric"
          aria-describedby="no-limit"
          value={text}
          onInput={(event) => setTyped(event.currentTarget.value.trim())}
        />
      </label>
      <select aria-label="For how long" value={forMs} onChange={(event) => setForMs(Number(event.currentTarget.value))}>
        {times.map(([ms, label]) => (
          <option key={ms} value={ms}>
            {label}
          </option>
        ))}
      </select>
      <button type="submit" class="primary" disabled={!isLimit || typed === undefined || Number(typed) === limit}>
        Set limit
      </button>
      <span class="faint" id="no-limit">
        0 means unlimited
      </span>
    </form>
  );
}
