import type { ComponentChildren } from 'preact';
import type { Problem } from '../../feeds/problem.js';
import { Link } from '../shell/router.js';
import { Command } from './command.js';

const titles: Readonly<Record<Problem['kind'], string>> = {
  forbidden: 'You may not see this',
  'signed-out': 'The cluster does not accept these credentials',
  'not-installed': 'Not installed on this cluster',
  unreachable: 'The cluster cannot be reached',
  away: 'The limiter does not answer',
  refused: 'Refused',
  failed: 'That did not work',
};

/** Says what is wrong, and what a person does about it. */
export function ProblemNotice({ problem, isStale }: { readonly problem: Problem; readonly isStale?: boolean }) {
  return (
    <div class={`notice notice-${problem.kind === 'forbidden' ? 'forbidden' : 'bad'}`} role="alert">
      <h2>{titles[problem.kind]}</h2>
      <p>{problem.message}</p>
      {isStale && <p>What is shown below was true before, and may not be any more.</p>}
      <p class="fix">
        To fix: <Command text={problem.fix} />
      </p>
    </div>
  );
}

/** A place in which there is nothing, and why that is. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A page or rows that are not there, and the way to those that are. */
export function Missing(props: { title: string; why?: string; all: string; link: string }) {
  return (
    <Empty title={props.title}>
      <p>
        {props.why} <Link to={props.all}>{props.link}</Link>
      </p>
    </Empty>
  );
}

/** Says what is wrong with data that is shown or should be; until it is there, that it is read. */
export function Pending(props: { what: string; shown: unknown; problem: Problem | undefined }) {
  const { what, shown, problem } = props;
  if (problem) return <ProblemNotice problem={problem} isStale={shown !== undefined} />;
  return shown === undefined ? <Loading what={what} /> : null;
}

/** Shown until the first data is there; says so only when it takes a moment. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading" role="status">
      Reading {what}…
    </div>
  );
}
