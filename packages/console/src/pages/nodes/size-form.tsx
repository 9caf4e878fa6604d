import { useEffect, useState } from 'preact/hooks';
import type { SizePlan } from '../../actions/node-size.js';
import type { NodeDocument } from '../../feeds/node-feed.js';
import type { Problem } from '../../feeds/problem.js';
import { ProblemNotice } from '../controls/notices.js';
import { ask } from '../shell/session.js';

interface Answer extends Partial<SizePlan> {
  readonly problem?: Problem;
  readonly error?: string;
}

const gibibyte = 1024 ** 3;

/** Sets the size of a node by sliders or by typing, with the plan of what would be done while it is chosen. */
export function SizeForm({
  shown,
}: {
  readonly shown: NodeDocument & { readonly line: NonNullable<NodeDocument['line']> };
}) {
  const { line, size = { cpu: '', memory: '' } } = shown;
  const [typed, setTyped] = useState<{ readonly cpu: string; readonly memory: string }>();
  const [answer, setAnswer] = useState<Answer>();
  const [isAsked, setAsked] = useState(false);
  const { cpu, memory } = typed ?? size;
  const { allocatable } = line.measures;
  useEffect(() => {
    if (!typed) return;
    setAsked(false);
    const waiting = setTimeout(() => {
      const query = new URLSearchParams({ name: line.key, cpu: typed.cpu, memory: typed.memory });
      ask<Answer>(`/api/node/plan?${query}`).then(setAnswer, () => {});
    }, 150);
    return () => clearTimeout(waiting);
  }, [typed, line.key]);
  const request = async (body: object) => {
    const told = await ask<Answer>('/api/node/size', { name: line.key, ...body }).catch((error: unknown) => ({
      error: `${error}`,
    }));
    setAnswer(told);
    if (!('kind' in told) || told.kind !== 'resize') return;
    setAsked(true);
    setTyped(undefined);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void request({ cpu, memory });
  };
  return (
    <form class="size-form" onSubmit={submit}>
      <div class="size-fields">
        <label>
          cpu
          <input
            type="range"
            min={0.1}
            max={allocatable.cpu / 1_000}
            step={0.1}
            value={coresOf(cpu)}
            aria-label="cpu for pods, by slider"
            onInput={(event) => setTyped({ cpu: event.currentTarget.value, memory })}
          />
          <input
            class="field"
            aria-label="cpu for pods"
            value={cpu}
            onInput={(event) => setTyped({ cpu: event.currentTarget.value, memory })}
          />
        </label>
        <label>
          memory
          <input
            type="range"
            min={0.25}
            max={allocatable.memory / gibibyte}
            step={0.25}
            value={gibibytesOf(memory)}
            aria-label="memory for pods, by slider"
            onInput={(event) => setTyped({ cpu, memory: inMebibytes(event.currentTarget.value) })}
          />
          <input
            class="field"
            aria-label="memory for pods"
            value={memory}
            onInput={(event) => setTyped({ cpu, memory: event.currentTarget.value })}
          />
        </label>
      </div>
      <div role="status" class="size-plan">
        {answer?.problem && <ProblemNotice problem={answer.problem} />}
        {answer?.error && <p class="warn">{answer.error}</p>}
        {answer?.kind === 'impossible' && <p class="warn">Does not fit: {answer.message}</p>}
        {isAsked && <p>Asked for. The bars follow.</p>}
        {!isAsked && typed && answer && answer.kind !== 'impossible' && answer.message && <p>{answer.message}</p>}
        {!isAsked && answer?.createsPolicy && (
          <p class="faint">No policy manages this node: a BalloonPolicy called default is made for all nodes first.</p>
        )}
      </div>
      <p class="actions">
        <button type="button" onClick={() => void request({ full: 'true' })}>
          Make it whole
        </button>
        <button type="submit" class="primary" disabled={!typed || answer?.kind !== 'resize'}>
          Resize
        </button>
      </p>
    </form>
  );
}

/** `3750m` or `4` as cores; what a slider cannot show stands at its end. */
function coresOf(quantity: string): number {
  const value = Number.parseFloat(quantity);
  return quantity.endsWith('m') ? value / 1_000 : value;
}

const powers: Readonly<Record<string, number>> = { Ki: -2, Mi: -1, Gi: 0, Ti: 1 };

function gibibytesOf(quantity: string): number {
  const value = Number.parseFloat(quantity);
  const power = powers[quantity.replace(/^[\d.]+/, '')];
  return power === undefined ? value / gibibyte : value * 1024 ** power;
}

function inMebibytes(gibibytes: string): string {
  const mebibytes = Math.round(Number(gibibytes) * 1024);
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}
