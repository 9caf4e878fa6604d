import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../feeds/problem.js';
import type { UpgradeDocument } from '../../server/upgrade-calls.js';
import { Command } from '../controls/command.js';
import { Empty, Loading, ProblemNotice } from '../controls/notices.js';
import { useConnection } from '../shell/live.js';
import { setQuery, useAddress } from '../shell/router.js';
import { ask, SignedOutError } from '../shell/session.js';

interface Answer extends Partial<UpgradeDocument> {
  readonly problem?: Problem;
  readonly error?: string;
}

const severities = { blocker: 'Blocker', unknown: 'Not known', warning: 'Warning', info: 'Good to know' } as const;

/** The verdict of `slipway upgrade check`, at an address that can be handed to a colleague. */
export function UpgradePage() {
  const { query } = useAddress();
  const to = query.get('to') ?? '';
  const [typed, setTyped] = useState(to);
  const [answer, setAnswer] = useState<Answer>();
  const isSignedOut = useConnection() === 'signed-out';
  useEffect(() => {
    setAnswer(undefined);
    if (to === '' || isSignedOut) return;
    ask<Answer>(`/api/upgrade?${new URLSearchParams({ to })}`).then(setAnswer, (error: unknown) => {
      if (!(error instanceof SignedOutError)) setAnswer({ error: String(error) });
    });
  }, [to, isSignedOut]);
  const check = (event: Event) => {
    event.preventDefault();
    setQuery('to', typed.trim());
  };
  return (
    <>
      <header class="page-head">
        <h1>Upgrade</h1>
      </header>
      <form class="filters" onSubmit={check}>
        <label>
          To version{' '}
          <input
            class="field"
            placeholder="v1.35"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={typed.trim() === ''}>
          Check
        </button>
      </form>
      {to === '' && (
        <Empty title="Where is the cluster to go?">
          <p>Name a version, forward or back, to see what speaks against it. Nothing is changed.</p>
        </Empty>
      )}
      {to !== '' && !answer && <Loading what="what the cluster runs" />}
      {answer?.problem && <ProblemNotice problem={answer.problem} />}
      {answer?.error && (
        <p class="lost" role="alert">
          {answer.error}
        </p>
      )}
      {answer?.findings && <Verdict verdict={answer as UpgradeDocument} />}
    </>
  );
}

function Verdict({ verdict }: { readonly verdict: UpgradeDocument }) {
  const { sentence, findings, restsOn } = verdict;
  return (
    <div class="sections">
      <section class={verdict.verdict === 'NothingFound' ? 'next' : 'next next-needed'}>
        <h2>{sentence}</h2>
        {restsOn.map((line) => (
          <p key={line} class="faint">
            {line}
          </p>
        ))}
      </section>
      {findings.map(({ check, severity, gate, gates = [], message, fix }) => (
        <section key={`${check} ${gate} ${message}`} class="next">
          <p>
            <span class={`tag${severity === 'blocker' ? ' warn' : ''}`}>
              {check} {severities[severity]}
            </span>{' '}
            <strong>{gate}</strong> {message}
          </p>
          {gates.length > 0 && <p class="faint">{gates.join(', ')}</p>}
          {fix !== undefined && (
            <p class="fix">
              To fix: <Command text={fix} />
            </p>
          )}
        </section>
      ))}
    </div>
  );
}
