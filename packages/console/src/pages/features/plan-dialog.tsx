import { useEffect, useState } from 'preact/hooks';
import type { Deed, PlanDocument } from '../../actions/feature-plan.js';
import type { Problem } from '../../feeds/problem.js';
import { Dialog } from '../controls/dialog.js';
import { Loading, ProblemNotice } from '../controls/notices.js';
import { ask } from '../shell/session.js';
import { Objects } from './objects.js';

interface PlanDialogProps {
  readonly namespace: string;
  readonly name: string;
  readonly gate: string;
  readonly deed: Deed;
  readonly onClose: () => void;
}

type Answer = PlanDocument | { readonly problem: Problem };

/** Shows the plan of a deed, asks for the consent that it needs, and has it done. */
export function PlanDialog({ namespace, name, gate, deed, onClose }: PlanDialogProps) {
  const [plan, setPlan] = useState<PlanDocument>();
  const [problem, setProblem] = useState<Problem>();
  const [isOutdated, setOutdated] = useState(false);
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    ask<Answer>(`/api/feature/plan?${new URLSearchParams({ namespace, name, deed })}`).then(
      (answer) => ('problem' in answer ? setProblem(answer.problem) : setPlan(answer)),
      (error: unknown) => setProblem(lost(error)),
    );
  }, [namespace, name, deed]);

  const agreed = !plan?.needsConsent || typed.trim() === String(plan.agreeTo);
  const carryOut = async (event: Event) => {
    event.preventDefault();
    if (!plan || !agreed || isBusy) return;
    setBusy(true);
    const body = { namespace, name, deed, shown: plan.shown, ...(plan.needsConsent && { agreedTo: plan.agreeTo }) };
    const answer = await ask<{ problem?: Problem; plan?: PlanDocument }>('/api/feature/do', body).catch(
      (error: unknown) => ({ problem: lost(error), plan: undefined }),
    );
    setBusy(false);
    if (answer.plan) {
      setPlan(answer.plan);
      setOutdated(true);
      setTyped('');
    } else if (answer.problem) setProblem(answer.problem);
    else onClose();
  };

  const title = deed === 'Approve' ? `Go on with ${gate}` : `Turn ${gate} ${deed.toLowerCase()}`;
  return (
    <Dialog title={title} onClose={onClose}>
      {problem && <ProblemNotice problem={problem} />}
      {!plan && !problem && <Loading what="the plan" />}
      <form onSubmit={(event) => void carryOut(event)}>
        {isOutdated && (
          <p class="lost" role="alert">
            The plan changed while you read it. This is the new one; nothing was done yet.
          </p>
        )}
        {plan && <Plan plan={plan} />}
        {plan?.needsConsent && (
          <label class="consent">
            The plan changes objects of users. Type the number of objects it changes, {plan.agreeTo}, to agree:
            <input
              class="field"
              inputMode="numeric"
              autocomplete="off"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <p class="actions">
          <button type="button" onClick={onClose}>
            {problem && !plan ? 'Close' : 'Cancel'}
          </button>
          {plan && isDoable(plan) && (
            <button type="submit" class="primary" disabled={!agreed || isBusy}>
              {isBusy ? 'Asking…' : deed === 'Approve' ? 'Agree' : `Turn ${deed.toLowerCase()}`}
            </button>
          )}
        </p>
      </form>
    </Dialog>
  );
}

function isDoable({ isDeclared, change, lines }: PlanDocument): boolean {
  return isDeclared && !(change === 'same' && lines.length === 0);
}

function Plan({ plan }: { readonly plan: PlanDocument }) {
  const { deed, change, lines, inUse, rollouts, restarts, isDeclared, gate } = plan;
  if (!isDeclared) return <p>{gate} is only reported: no definition says how to turn it.</p>;
  if (!isDoable(plan)) return <p>It is {deed.toLowerCase()} already.</p>;
  return (
    <>
      {change === 'supersede' && <p>This takes the place of what is under way.</p>}
      {change === 'same' && <p>This is under way already.</p>}
      <ol class="plan">
        {lines.map(({ name, does, count, isUncounted }) => (
          <li key={name}>
            <strong>{name}</strong> {does}
            {count !== undefined && <span class="warn">: {count === 1 ? '1 object' : `${count} objects`}</span>}
            {isUncounted && <span class="warn">: objects cannot be counted, only the program it runs knows them</span>}
          </li>
        ))}
      </ol>
      {inUse && inUse.count > 0 && (
        <>
          <h3>
            Objects that use it now: {inUse.count}
            {inUse.complete ? '' : ' or more'}
          </h3>
          <Objects samples={inUse.samples} />
        </>
      )}
      {inUse?.count === 0 && <p class="faint">No object uses it now.</p>}
      {rollouts > 0 && <p>Workloads that will replace their pods: {rollouts}</p>}
      {restarts.length > 0 && (
        <p>
          Processes do not take the value from the API: restart {restarts.join(', ')} with the new value in their flags.
        </p>
      )}
    </>
  );
}

function lost(error: unknown): Problem {
  return { kind: 'unreachable', message: `the console does not answer: ${error}`, fix: 'slipway console' };
}
