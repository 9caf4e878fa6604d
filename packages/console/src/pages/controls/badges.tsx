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

/** A state as a dot and a word, such as `TurningOff` or `TurningOff (Blocked)`. */
export function State({ state }: { readonly state: string }) {
  const [first = ''] = /^\w+/.exec(state) ?? [];
  const look = /blocked|[(]/i.test(state) ? 'blocked' : (looks[first] ?? 'unknown');
  return (
    <span class={`state state-${look}`}>
      <span class="dot" aria-hidden="true" />
      {state}
    </span>
  );
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
