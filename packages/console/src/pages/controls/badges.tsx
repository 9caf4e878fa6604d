/** The look of each state: its shape as well as its colour. */
const looks: Readonly<Record<string, string>> = {
  On: 'on',
  Off: 'off',
  TurningOn: 'changing',
  TurningOff: 'changing',
  Blocked: 'blocked',
  AtSize: 'on',
  Resizing: 'changing',
  ok: 'on',
  blocked: 'blocked',
};

interface StateProps {
  /** Such as `TurningOff` or `TurningOff (Blocked)`. */
  readonly state: string;
  /** Where the word does not say it. */
  readonly look?: string;
}

/** A state as a dot and a word. */
export function State({ state, look = lookOf(state) }: StateProps) {
  return (
    <span class={`state state-${look}`}>
      <span class="dot" aria-hidden="true" />
      {state}
    </span>
  );
}

function lookOf(state: string): string {
  const [first = ''] = /^\w+/.exec(state) ?? [];
  return /blocked|[(]/i.test(state) ? 'blocked' : (looks[first] ?? 'unknown');
}

interface BarProps {
  readonly done: number;
  readonly total: number;
  readonly label: string;
}

/** Shows the progress of a task. */
export function Bar({ done, total, label }: BarProps) {
  return <progress class="bar" value={Math.min(done, total)} max={Math.max(1, total)} aria-label={label} />;
}
